import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { SeenKeyHistory } from '@cer/cer-core/logs';
import type { KeyHistoryCheck } from '../../check/key-history-check.js';
import type { HistoryPin as Pin, PinResult } from '../../check/pin-key-history.js';
import { Hash } from '../../view/copy-block.js';
import { TEXTS } from '../../view/texts.js';
import type { Engine } from '../engine.js';
import { LatestAnswer } from './latest-answer.js';

const T = TEXTS.pin;

export type AcceptedPin = Extract<PinResult, { accepted: true }>;

interface HistoryPinProps {
  readonly engine: Engine;
  readonly text: string;
  readonly look: KeyHistoryCheck;
  /** The state accepted before under a pin, if remembered. */
  readonly highestSeen: (pin: Pin) => SeenKeyHistory | null;
  /** Null: nothing is pinned any more. */
  readonly onPin: (accepted: AcceptedPin | null) => void;
}

/** The roots of a history, for a person to compare. Nothing counts before one of them is confirmed. */
export function HistoryPin({ engine, text, look, highestSeen, onPin }: HistoryPinProps): VNode | null {
  const [chosen, setChosen] = useState<string | null>(null);
  const [result, setResult] = useState<PinResult | 'crashed' | null>(null);
  // A confirmation that was withdrawn, or of a history no longer shown, must not count.
  const [latest] = useState(() => new LatestAnswer());
  useEffect(
    () => () => {
      latest.forget();
    },
    [latest],
  );
  const { nodeId } = look;
  const roots = look.roots.filter(({ status }) => status !== 'revoked');
  if (nodeId === null || look.state !== 'signed' || roots.length === 0) return null;

  const choose = async (rootFingerprint: string | null): Promise<void> => {
    setChosen(rootFingerprint);
    setResult(null);
    latest.forget();
    onPin(null);
    if (rootFingerprint === null) return;
    const pin = { nodeId, rootFingerprint };
    const at = new Date().toISOString();
    const asked = engine.ask('pin', { text, pin, highestSeen: highestSeen(pin), at });
    const found = await latest.of(asked.catch(() => 'crashed' as const));
    if (found === null) return;
    setResult(found);
    if (found !== 'crashed' && found.accepted) onPin(found);
  };
  const isAccepted = result !== null && result !== 'crashed' && result.accepted;
  return (
    <div class="history-pin" data-pin-state={chosen === null ? 'unconfirmed' : isAccepted ? 'confirmed' : 'refused'}>
      <p>
        {T.lead} <b>{nodeId}</b>
      </p>
      <ul class="plain">
        {roots.map(({ fingerprint, status }) => (
          <li key={fingerprint} class="pin-choice">
            <label>
              <input
                type="checkbox"
                name="confirm-root"
                checked={chosen === fingerprint}
                onChange={(event) => void choose(event.currentTarget.checked ? fingerprint : null)}
              />{' '}
              {T.confirm}
            </label>
            <Hash value={fingerprint} /> <span class="note">{TEXTS.history.rootStatus[status]}</span>
          </li>
        ))}
      </ul>
      <div aria-live="polite">
        <PinOutcome result={result} />
      </div>
    </div>
  );
}

export function PinOutcome({ result }: { readonly result: PinResult | 'crashed' | null }): VNode | null {
  if (result === null) return null;
  if (result === 'crashed') return <p class="outcome bad">{TEXTS.tools.crashed}</p>;
  if (!result.accepted) {
    const { code, member, detail } = result.finding;
    return (
      <p class="outcome bad" data-pin-refused={code}>
        {T.refused} {member} {detail} <code>{code}</code>
      </p>
    );
  }
  const { version, revocationsKnownUntil, nextUpdate, notices } = result.voucher;
  return (
    <>
      <p class="outcome good">
        {T.accepted} {T.version} {version}. {TEXTS.history.knownUntil} <span class="when">{revocationsKnownUntil}</span>
        . {TEXTS.history.next} <span class="when">{nextUpdate}</span>.
      </p>
      {notices.map(({ code }) => (
        <p key={code} class="warning">
          {TEXTS.history.notices[code] ?? code}
        </p>
      ))}
    </>
  );
}
