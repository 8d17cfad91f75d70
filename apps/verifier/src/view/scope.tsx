import type { VNode } from 'preact';
import type { ArtefactCheck } from '../check/check-result.js';
import { hasExternalTime } from './external-time.js';
import { isLogged } from './log-fact.js';
import { TEXTS } from './texts.js';

const T = TEXTS.scope;

/**
 * The section on what a pass of this record proves and what it does not. @see docs/spec.md, "Overview and guarantees"
 */
export function Scope({ check }: { readonly check: ArtefactCheck }): VNode {
  const { proves, provesNot } = scopeOf(check);
  return (
    <section class="card" aria-labelledby="scope-title">
      <h2 id="scope-title">{T.title}</h2>
      <div class="two-columns">
        <div>
          <h3>{T.proves}</h3>
          <ul class={check.status === 'FAILED' ? 'proves-not' : 'proves'}>
            {proves.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </div>
        <div>
          <h3>{T.provesNot}</h3>
          <ul class="proves-not">
            {provesNot.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </div>
      </div>
    </section>
  );
}

function scopeOf(check: ArtefactCheck): { readonly proves: readonly string[]; readonly provesNot: readonly string[] } {
  const isAttested =
    check.kind === 'project' ? check.nodeReceipt.status === 'PASS' : check.layers.receipt.status === 'PASS';
  const isTimed = check.status !== 'FAILED' && hasExternalTime(check);
  const isWitnessed = check.status !== 'FAILED' && isLogged(check);
  const beside = [...(isTimed ? [T.externalTime] : []), ...(isWitnessed ? [T.logged] : [])];
  const provesNot = [
    ...(isAttested ? [] : [T.notAuthor]),
    T.notCorrect,
    ...(isTimed ? [] : [T.notTime]),
    T.notReplay,
    ...(isWitnessed ? [] : [T.notWitness]),
  ];
  if (check.status === 'FAILED') return { proves: [T.nothing], provesNot };
  if (check.kind === 'project')
    return {
      proves: [T.project, T.integrity, ...(isAttested ? [T.attested] : []), ...beside],
      provesNot,
    };
  return {
    proves: [
      ...(check.facts.isHashOnly ? [] : [T.integrity]),
      ...(isAttested ? [T.attested] : []),
      ...(check.layers.envelope.status === 'PASS' ? [T.envelope] : []),
      ...(check.status === 'VERIFIED_CONFIDENTIAL' ? [T.confidential] : []),
      ...beside,
    ],
    provesNot,
  };
}
