import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { KeyList } from '../../check/key-list.js';
import { Hash } from '../../view/copy-block.js';
import { TEXTS } from '../../view/texts.js';
import type { Engine } from '../engine.js';
import type { SavedRecord } from './saved-record.js';
import type { PinnedKeys } from './node-keys.js';

const T = TEXTS.tools;

interface KeyPanelProps {
  readonly engine: Engine;
  readonly loadNodeKeys: (() => Promise<PinnedKeys | null>) | null;
  readonly saved: SavedRecord | null;
  readonly onKeys: (keys: PinnedKeys | null) => void;
}

/** A key set that somebody loaded or that the page carries: nothing counts under it before it is confirmed. */
interface Candidate {
  readonly kind: 'file' | 'embedded';
  readonly name: string;
  readonly text: string;
  readonly list: KeyList;
}

/** Which keys count. The node's own on its site; others only when the person has compared their fingerprints. */
export function KeyPanel({ engine, loadNodeKeys, saved, onKeys }: KeyPanelProps): VNode {
  const [candidate, setCandidate] = useState<Candidate | null>(null);
  const [isConfirmed, setConfirmed] = useState(false);
  const [message, setMessage] = useState<string>(T.keysNone);

  const offer = async (kind: Candidate['kind'], name: string, text: string): Promise<void> => {
    const list = await engine.ask('keys', { text }).catch(() => null);
    setConfirmed(false);
    onKeys(null);
    setCandidate(list === null ? null : { kind, name, text, list });
    setMessage(list === null ? T.keysBad : kind === 'embedded' ? T.keysEmbedded : T.keysLoaded);
  };

  useEffect(() => {
    if (saved !== null) void offer('embedded', '', saved.keySet);
    else if (loadNodeKeys !== null) {
      void loadNodeKeys().then((keys) => {
        onKeys(keys);
        setMessage(keys === null ? T.keysFetchFailed : T.keysNode);
      });
    }
    // Once: what the page carries and where its node is do not change.
  }, []);

  return (
    <div class="key-panel">
      <h3>{T.keys}</h3>
      <p class="note">{T.keysLead}</p>
      <p data-key-state={candidate === null ? 'none' : isConfirmed ? 'confirmed' : 'unconfirmed'}>
        {isConfirmed ? T.keysConfirmed : message}
      </p>
      {candidate !== null && (
        <>
          <p>
            {T.node}: <b>{candidate.list.nodeId}</b>
          </p>
          <ul class="fingerprints">
            {candidate.list.keys.map((key) => (
              <li key={key.kid}>
                <Hash value={key.fingerprint ?? key.fault ?? ''} />{' '}
                <span class="note">{TEXTS.keys.status[key.status]}</span>
              </li>
            ))}
          </ul>
          <label class="confirm">
            <input
              type="checkbox"
              id="confirm-keys"
              checked={isConfirmed}
              onChange={(event) => {
                const confirmed = event.currentTarget.checked;
                setConfirmed(confirmed);
                const { kind, name, text } = candidate;
                onKeys(confirmed ? { text, source: { kind, where: name, at: new Date().toISOString() } } : null);
              }}
            />{' '}
            {T.keysConfirm}
          </label>
        </>
      )}
      <label class="button quiet file-button" for="key-set-file">
        {T.keysLoad}
        <input
          id="key-set-file"
          type="file"
          accept=".json,application/json"
          onChange={(event) => {
            const file = event.currentTarget.files?.[0];
            event.currentTarget.value = '';
            if (file !== undefined) void file.text().then((text) => offer('file', file.name, text));
          }}
        />
      </label>
    </div>
  );
}
