import type { VNode } from 'preact';
import type { CheckpointCheck, ProofCheck } from '../check/log-check.js';
import { Hash } from './copy-block.js';
import { Fact } from './fact.js';
import { TEXTS } from './texts.js';

const T = TEXTS.log;

export interface LogPageProps {
  /** `none`: the node keeps no log; null: the node cannot be reached or answers something else. */
  readonly log: CheckpointCheck | 'none' | null;
  /** The hash that the visitor asked for; null without one. */
  readonly asked: string | null;
  /** `none`: no proof of this hash; null without a hash. */
  readonly proof: ProofCheck | 'none' | null;
  readonly now: Date;
}

/** The transparency log of the node: its size and age, who witnessed it, and the path of one receipt to the signed root. */
export function LogPage({ log, asked, proof, now }: LogPageProps): VNode {
  return (
    <>
      <h1>{T.title}</h1>
      <p class="lead">{T.lead}</p>
      {log === null && <p class="card warning">{T.unavailable}</p>}
      {log === 'none' && <p class="card">{T.none}</p>}
      {log !== null && log !== 'none' && <CheckpointCard log={log} now={now} />}
      <section class="card" aria-labelledby="proof-title">
        <h2 id="proof-title">{T.proofTitle}</h2>
        <form method="get" action="/log">
          <label for="log-hash">{T.hashLabel}</label>
          <div class="lookup-row">
            <input
              id="log-hash"
              name="certificate_hash"
              type="text"
              required
              value={asked ?? ''}
              autoComplete="off"
              spellcheck={false}
            />
            <button type="submit" class="button">
              {T.show}
            </button>
          </div>
        </form>
        {proof === 'none' && <p class="warning">{T.noProof}</p>}
        {proof !== null && proof !== 'none' && <ProofPath proof={proof} />}
      </section>
      <section class="card" aria-labelledby="limits-title">
        <h2 id="limits-title">{T.limitsTitle}</h2>
        <ul>
          {T.limits.map((limit) => (
            <li key={limit}>{limit}</li>
          ))}
        </ul>
      </section>
    </>
  );
}

function CheckpointCard({ log, now }: { readonly log: CheckpointCheck; readonly now: Date }): VNode {
  const { origin, size, root, witnesses, unchecked, isTrusted } = log;
  const newest = witnesses
    .map(({ at }) => at)
    .sort()
    .at(-1);
  return (
    <section class="card" aria-labelledby="checkpoint-title">
      <h2 id="checkpoint-title">{T.checkpointTitle}</h2>
      <p class={isTrusted === false ? 'warning' : 'note'}>
        {isTrusted === null ? T.noPolicy : isTrusted ? T.trusted : T.untrusted}
      </p>
      <dl class="facts">
        <Fact name={T.origin}>{origin}</Fact>
        <Fact name={T.size}>{T.entries(size)}</Fact>
        {newest !== undefined && (
          <Fact name={T.age}>
            {T.ago(Math.max(0, Math.floor((now.getTime() - new Date(newest).getTime()) / 1000)))}
          </Fact>
        )}
        <Fact name={T.root}>
          <Hash value={root} />
        </Fact>
        {witnesses.map(({ name, at }) => (
          <Fact key={name} name={T.witness} note={T.at(at)}>
            {name}
          </Fact>
        ))}
        {unchecked.map((name) => (
          <Fact key={name} name={T.otherLine} note={T.notChecked}>
            {name}
          </Fact>
        ))}
      </dl>
    </section>
  );
}

/** A list from leaf to root; the drawing beside it repeats the sides and is left out for screen readers. */
function ProofPath({ proof }: { readonly proof: ProofCheck }): VNode {
  const { verdict, index, treeSize, leaf, steps } = proof;
  return (
    <>
      <p>{T.place(index, treeSize)}</p>
      <p class={verdict.code === null ? 'note' : 'warning'}>{proofSentence(verdict)}</p>
      <ol class="log-path">
        <li>
          <Drawing side={null} />
          <div>
            <h3>{T.leaf}</h3>
            <Hash value={leaf} />
          </div>
        </li>
        {steps.map(({ side, neighbour, result }, at) => (
          <li key={result}>
            <Drawing side={side} />
            <div>
              <h3>{at === steps.length - 1 ? T.rootStep(at + 1) : T.step(at + 1)}</h3>
              <p>
                {side === 'left' ? T.left : T.right} <Hash value={neighbour} />
              </p>
              <p>
                {T.together} <Hash value={result} />
              </p>
            </div>
          </li>
        ))}
      </ol>
      <p>{T.end}</p>
    </>
  );
}

function proofSentence({ code, detail, loggedAfter, loggedBy, status, witnesses }: ProofCheck['verdict']): string {
  if (status === 'not-checked') return T.pathOnly;
  if (code !== null) return `${T.proofFault} ${detail ?? ''} [${code}]`;
  return T.included(witnesses, loggedAfter, loggedBy);
}

/** Two nodes that join above: the filled one is on the way. */
function Drawing({ side }: { readonly side: 'left' | 'right' | null }): VNode {
  const [own, other] = side === 'left' ? [46, 14] : [14, 46];
  return (
    <svg class="log-drawing" viewBox="0 0 60 60" width="60" height="60" aria-hidden="true" focusable="false">
      {side === null ? (
        <circle class="own" cx="30" cy="30" r="8" />
      ) : (
        <>
          <path d={`M${String(own)} 12 L30 46 M${String(other)} 12 L30 46`} />
          <circle class="own" cx={own} cy="12" r="7" />
          <circle class="other" cx={other} cy="12" r="7" />
          <circle class="own" cx="30" cy="46" r="8" />
        </>
      )}
    </svg>
  );
}
