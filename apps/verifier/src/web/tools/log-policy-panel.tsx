import type { VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { ListedLogPolicy } from '../../check/log-policy.js';
import { TEXTS } from '../../view/texts.js';
import type { Engine } from '../engine.js';
import { LatestAnswer } from './latest-answer.js';

const T = TEXTS.log;

interface LogPolicyPanelProps {
  readonly id: string;
  readonly engine: Engine;
  /** The text of the policy; null: none is chosen. */
  readonly onPolicy: (text: string | null) => void;
}

/** The logs and witnesses that the visitor trusts. The page brings none: that would be the operator's choice. */
export function LogPolicyPanel({ id, engine, onPolicy }: LogPolicyPanelProps): VNode {
  const [policy, setPolicy] = useState<ListedLogPolicy | null>(null);
  const [message, setMessage] = useState<string>(T.policyNone);
  // A file may be read slowly, and the visitor may have given another one or none by then.
  const [latest] = useState(() => new LatestAnswer());
  const input = useRef<HTMLInputElement>(null);
  const choose = (listed: ListedLogPolicy | null, text: string | null, said: string): void => {
    setPolicy(listed);
    setMessage(said);
    onPolicy(text);
  };
  const take = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    const read = await latest.of(readPolicy(engine, file));
    if (read === null) return;
    const { text, listed } = read;
    if (listed === 'crashed') choose(null, null, TEXTS.tools.crashed);
    else if (listed === null) choose(null, null, T.policyBad);
    else choose(listed, text, T.policyChosen);
  };
  return (
    <div class="key-panel" data-log-policy={policy === null ? 'none' : 'chosen'}>
      <h3>{T.policyTitle}</h3>
      <p class="note">{T.policyLead}</p>
      <p aria-live="polite">{message}</p>
      {policy !== null && (
        <ul class="fingerprints">
          {policy.logs.map((name) => (
            <li key={name}>
              {T.policyLog}: <b>{name}</b>
            </li>
          ))}
          {policy.witnesses.map((name) => (
            <li key={name}>
              {T.policyWitness}: <b>{name}</b>
            </li>
          ))}
        </ul>
      )}
      <p class="row">
        <label class="button quiet file-button" for={id}>
          {T.policyLoad}
          <input
            id={id}
            ref={input}
            type="file"
            accept=".txt,text/plain"
            onChange={(event) => {
              void take(event.currentTarget.files?.[0]);
              event.currentTarget.value = '';
            }}
          />
        </label>
        {policy !== null && (
          <button
            type="button"
            class="button quiet"
            onClick={() => {
              // This button goes, and would take the focus with it.
              input.current?.focus();
              latest.forget();
              choose(null, null, T.policyNone);
            }}
          >
            {T.policyClear}
          </button>
        )}
      </p>
    </div>
  );
}

async function readPolicy(engine: Engine, file: File) {
  const text = await file.text().catch(() => null);
  const listed = text === null ? null : await engine.ask('policy', { text }).catch(() => 'crashed' as const);
  return { text, listed };
}
