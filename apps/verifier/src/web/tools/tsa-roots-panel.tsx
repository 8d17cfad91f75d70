import type { VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { ListedTsaRoot } from '../../check/tsa-root-list.js';
import { Hash } from '../../view/copy-block.js';
import { TEXTS } from '../../view/texts.js';
import type { Engine } from '../engine.js';
import { LatestAnswer } from './latest-answer.js';

const T = TEXTS.time;

interface TsaRootsPanelProps {
  readonly id: string;
  readonly engine: Engine;
  /** PEM; null: none are chosen. */
  readonly onRoots: (pem: string | null) => void;
}

/** The time-stamping authorities that the visitor trusts. The page brings none: that would be the operator's choice. */
export function TsaRootsPanel({ id, engine, onRoots }: TsaRootsPanelProps): VNode {
  const [roots, setRoots] = useState<readonly ListedTsaRoot[]>([]);
  const [message, setMessage] = useState<string>(T.none);
  // A file may be read slowly, and the visitor may have given another one or none by then.
  const [latest] = useState(() => new LatestAnswer());
  const input = useRef<HTMLInputElement>(null);
  const take = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    const read = await latest.of(readRoots(engine, file));
    if (read === null) return;
    const { pem, listed } = read;
    if (listed === 'crashed' || listed === null) {
      setMessage(listed === null ? T.bad : TEXTS.tools.crashed);
      setRoots([]);
      onRoots(null);
      return;
    }
    setMessage(T.chosen);
    setRoots(listed);
    onRoots(pem);
  };
  return (
    <div class="key-panel" data-tsa-roots={roots.length}>
      <h3>{T.title}</h3>
      <p class="note">{T.lead}</p>
      <p aria-live="polite">{message}</p>
      {roots.length > 0 && (
        <ul class="fingerprints">
          {roots.map(({ name, fingerprint, notAfter }) => (
            <li key={fingerprint}>
              <b>{name}</b> <Hash value={fingerprint} />{' '}
              <span class="note when">
                {T.until} {notAfter.slice(0, 10)}
              </span>
            </li>
          ))}
        </ul>
      )}
      <p class="row">
        <label class="button quiet file-button" for={id}>
          {T.load}
          <input
            id={id}
            ref={input}
            type="file"
            accept=".pem,.crt,application/x-pem-file"
            onChange={(event) => {
              void take(event.currentTarget.files?.[0]);
              event.currentTarget.value = '';
            }}
          />
        </label>
        {roots.length > 0 && (
          <button
            type="button"
            class="button quiet"
            onClick={() => {
              // This button goes, and would take the focus with it.
              input.current?.focus();
              latest.forget();
              setRoots([]);
              setMessage(T.none);
              onRoots(null);
            }}
          >
            {T.clear}
          </button>
        )}
      </p>
    </div>
  );
}

async function readRoots(engine: Engine, file: File) {
  const pem = await file.text().catch(() => null);
  const listed = pem === null ? null : await engine.ask('roots', { pem }).catch(() => 'crashed' as const);
  return { pem, listed };
}
