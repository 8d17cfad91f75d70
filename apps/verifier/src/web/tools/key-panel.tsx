import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { KeyHistoryCheck } from '../../check/key-history-check.js';
import type { KeyList } from '../../check/key-list.js';
import { Hash } from '../../view/copy-block.js';
import { TEXTS } from '../../view/texts.js';
import type { Engine } from '../engine.js';
import { HistoryPin } from './history-pin.js';
import { LatestAnswer } from './latest-answer.js';
import type { NodeKeys, PinnedKeys } from './node-keys.js';
import type { SavedRecord } from '../../check/saved-record.js';

const T = TEXTS.tools;

/** Inputs of the panel with which a visitor chooses the keys that count. */
interface KeyPanelProps {
  readonly engine: Engine;
  /** Null in the offline file, which makes no request. */
  readonly loadNodeKeys: (() => Promise<NodeKeys>) | null;
  readonly saved: SavedRecord | null;
  readonly onKeys: (keys: PinnedKeys | null) => void;
}

interface Origin {
  readonly kind: 'file' | 'embedded';
  readonly name: string;
  readonly text: string;
}

/** Keys loaded by the visitor or embedded in the page: unused until a fingerprint is confirmed. */
type Candidate = Origin &
  ({ readonly list: KeyList; readonly look: null } | { readonly list: null; readonly look: KeyHistoryCheck });

/** Which keys count. The node's own on its site; others only when the person has compared fingerprints. */
export function KeyPanel({ engine, loadNodeKeys, saved, onKeys }: KeyPanelProps): VNode {
  const [candidate, setCandidate] = useState<Candidate | null>(null);
  const [offers, setOffers] = useState(0);
  const [isConfirmed, setConfirmed] = useState(false);
  const [message, setMessage] = useState<string>(T.keysNone);
  // Keys that arrive late must not replace those that the visitor chose after they were asked for.
  const [latest] = useState(() => new LatestAnswer());

  const offer = async (reading: Promise<Candidate | null>): Promise<void> => {
    const answer = await latest.of(reading.then((read) => ({ read })));
    if (answer === null) return;
    setConfirmed(false);
    onKeys(null);
    setCandidate(answer.read);
    setOffers((count) => count + 1);
    setMessage(answer.read === null ? T.keysBad : messageFor(answer.read));
  };
  const takeNodeKeys = async (asked: Promise<NodeKeys>): Promise<void> => {
    const found = await latest.of(asked.catch(() => 'crashed' as const));
    if (found === null) return;
    if (found !== 'crashed') onKeys(found.state === 'have' ? found.keys : null);
    setMessage(found === 'crashed' ? T.crashed : nodeMessage(found));
  };
  const confirm = (keys: PinnedKeys | null): void => {
    setConfirmed(keys !== null);
    onKeys(keys);
  };

  useEffect(() => {
    if (saved !== null) void offer(readSaved(engine, saved));
    else if (loadNodeKeys !== null) void takeNodeKeys(loadNodeKeys());
    // Once: the embedded data and the address of the node do not change.
  }, []);

  return (
    <div class="key-panel">
      <h3>{T.keys}</h3>
      <p class="note">{T.keysLead}</p>
      <p aria-live="polite" data-key-state={candidate === null ? 'none' : isConfirmed ? 'confirmed' : 'unconfirmed'}>
        {isConfirmed ? T.keysConfirmed : message}
      </p>
      {candidate?.list != null && (
        <KeySetChoice candidate={candidate} list={candidate.list} isConfirmed={isConfirmed} onConfirm={confirm} />
      )}
      {candidate?.look != null && (
        <HistoryPin
          // The same history, loaded again, is unconfirmed too.
          key={offers}
          engine={engine}
          text={candidate.text}
          look={candidate.look}
          highestSeen={() => null}
          onPin={(accepted) => {
            const { kind, name } = candidate;
            const at = new Date().toISOString();
            confirm(
              accepted === null
                ? null
                : { text: accepted.keySet, source: { kind, where: name, at, voucher: accepted.voucher } },
            );
          }}
        />
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
            if (file === undefined) return;
            const read = file.text().then((text) => readKeys(engine, { kind: 'file', name: file.name, text }));
            void offer(read.catch(() => null));
          }}
        />
      </label>
    </div>
  );
}

interface KeySetChoiceProps {
  readonly candidate: Origin;
  readonly list: KeyList;
  readonly isConfirmed: boolean;
  readonly onConfirm: (keys: PinnedKeys | null) => void;
}

function KeySetChoice({ candidate, list, isConfirmed, onConfirm }: KeySetChoiceProps): VNode {
  const { kind, name, text } = candidate;
  return (
    <>
      <p>
        {T.node}: <b>{list.nodeId}</b>
      </p>
      <ul class="fingerprints">
        {list.keys.map((key) => (
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
            const at = new Date().toISOString();
            onConfirm(event.currentTarget.checked ? { text, source: { kind, where: name, at } } : null);
          }}
        />{' '}
        {T.keysConfirm}
      </label>
    </>
  );
}

/** A key set or a key history, recognised by its content; null for anything else. */
async function readKeys(engine: Engine, origin: Origin): Promise<Candidate | null> {
  try {
    const list = await engine.ask('keys', { text: origin.text });
    if (list !== null) return { ...origin, list, look: null };
    const look = await engine.ask('history', { text: origin.text, at: new Date().toISOString() });
    return look.nodeId === null ? null : { ...origin, list: null, look };
  } catch {
    // Without a worker the keys are missing too.
    return null;
  }
}

/** Content of a saved page: the history if a root signed it, else the key set. */
async function readSaved(engine: Engine, { keySet, keyHistory }: SavedRecord): Promise<Candidate | null> {
  const origin = { kind: 'embedded', name: '' } as const;
  const history = keyHistory === null ? null : await readKeys(engine, { ...origin, text: keyHistory });
  return history?.look?.state === 'signed' ? history : readKeys(engine, { ...origin, text: keySet });
}

function messageFor({ kind, look }: Candidate): string {
  if (look === null) return kind === 'embedded' ? T.keysEmbedded : T.keysLoaded;
  if (look.state === 'signed') return kind === 'embedded' ? T.historyEmbedded : T.historyLoaded;
  return look.state === 'unsigned' ? T.historyUnsigned : T.historyBroken;
}

function nodeMessage(found: NodeKeys): string {
  if (found.state === 'silent') return `${TEXTS.node.silent([TEXTS.node.parts[found.part]])} ${T.keysFromFile}`;
  if (found.state === 'unavailable') return `${T.keysFetchFailed} ${T.keysFromFile}`;
  if (found.state === 'refused') return `${T.keysRefused} ${found.finding.detail}`;
  return found.keys.source.voucher === undefined ? T.keysNode : T.keysPinned;
}
