import { render, type VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { KEY_HISTORY_PATH } from '../check/key-set-path.js';
import type { KeyHistoryCheck } from '../check/key-history-check.js';
import type { PinResult } from '../check/pin-key-history.js';
import { Hash } from '../view/copy-block.js';
import { KeyHistoryView } from '../view/key-history-view.js';
import { TEXTS } from '../view/texts.js';
import type { Engine } from './engine.js';
import { fetchText } from './node-text.js';
import { HistoryPin, PinOutcome, type AcceptedPin } from './tools/history-pin.js';
import { forgetPin, isOfPin, rememberedPin, rememberPin, renewPin, type RememberedPin } from './tools/pin-memory.js';

const T = TEXTS.pin;

/** Fetches the node's key history from the node itself, reads it again, and lets the visitor pin a root. */
export async function showKeyHistory(place: HTMLElement, engine: Engine, nodeUrl: string): Promise<void> {
  const answer = await fetchText(`${nodeUrl}${KEY_HISTORY_PATH}`);
  if (answer === 'silent') place.prepend(warning(TEXTS.node.silent([TEXTS.node.parts.keyHistory])));
  // The server's result stays, marked as checked by the server.
  if (typeof answer === 'string') return;
  const { text } = answer;
  const look = await engine.ask('history', { text, at: new Date().toISOString() }).catch(() => null);
  if (look === null) return;
  place.replaceChildren();
  render(<KeyHistoryIsland engine={engine} text={text} look={look} />, place);
}

function warning(text: string): HTMLElement {
  const paragraph = document.createElement('p');
  paragraph.className = 'warning';
  paragraph.role = 'status';
  paragraph.textContent = text;
  return paragraph;
}

interface IslandProps {
  readonly engine: Engine;
  readonly text: string;
  readonly look: KeyHistoryCheck;
}

function KeyHistoryIsland({ engine, text, look }: IslandProps): VNode {
  const [pin, setPin] = useState(rememberedPin);
  const [isKept, setKept] = useState(true);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const follow = (event: StorageEvent): void => {
      if (isOfPin(event)) setPin(rememberedPin());
    };
    window.addEventListener('storage', follow);
    return () => {
      window.removeEventListener('storage', follow);
    };
  }, []);
  // The control that the visitor used goes, and would take the focus with it.
  const show = (next: RememberedPin | null): void => {
    if (next !== null || pin !== null) place.current?.focus();
    setPin(next);
  };
  const remember = ({ voucher: { nodeId, rootFingerprint }, seen }: AcceptedPin): void => {
    setKept(rememberPin({ nodeId, rootFingerprint, seen }));
    show(rememberedPin());
  };
  return (
    <>
      <div ref={place} tabIndex={-1}>
        {pin === null ? (
          look.state === 'signed' && (
            <div class="pin">
              <h3>{T.title}</h3>
              <p class="note">{T.remember}</p>
              <HistoryPin
                engine={engine}
                text={text}
                look={look}
                highestSeen={() => null}
                onPin={(accepted) => {
                  if (accepted !== null) remember(accepted);
                }}
              />
              {!isKept && <p class="warning">{T.notKept}</p>}
            </div>
          )
        ) : (
          <Pinned
            key={`${pin.nodeId} ${pin.rootFingerprint}`}
            engine={engine}
            text={text}
            pin={pin}
            onForget={() => {
              forgetPin();
              show(null);
            }}
          />
        )}
      </div>
      <KeyHistoryView look={look} by="browser" />
    </>
  );
}

interface PinnedProps {
  readonly engine: Engine;
  readonly text: string;
  readonly pin: RememberedPin;
  readonly onForget: () => void;
}

/** Result of the current history under the remembered root. */
function Pinned({ engine, text, pin, onForget }: PinnedProps): VNode {
  const [result, setResult] = useState<PinResult | 'crashed' | null>(null);
  const { nodeId, rootFingerprint } = pin;
  useEffect(() => {
    const at = new Date().toISOString();
    engine.ask('pin', { text, pin: { nodeId, rootFingerprint }, highestSeen: pin.seen, at }).then(
      (found) => {
        if (found.accepted) renewPin({ nodeId, rootFingerprint, seen: found.seen });
        setResult(found);
      },
      () => {
        setResult('crashed');
      },
    );
  }, [engine, text, nodeId, rootFingerprint]);
  const isAccepted = result !== null && result !== 'crashed' && result.accepted;
  return (
    <div class="pin" data-pin-state={result === null ? 'checking' : isAccepted ? 'confirmed' : 'refused'}>
      <p>
        {T.remembered} <b>{nodeId}</b> <Hash value={rootFingerprint} />
      </p>
      <div aria-live="polite">
        <PinOutcome result={result} />
      </div>
      <p>
        <button type="button" class="button quiet" id="forget-pin" onClick={onForget}>
          {T.forget}
        </button>
      </p>
    </div>
  );
}
