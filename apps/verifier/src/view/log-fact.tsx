import type { Transparency } from '@cer/cer-core/verify';
import type { VNode } from 'preact';
import type { ArtefactCheck } from '../check/check-result.js';
import { Fact } from './fact.js';
import { TEXTS } from './texts.js';

const T = TEXTS.log;

export function transparencyOf(check: ArtefactCheck): Transparency {
  return check.kind === 'project' ? check.transparency : check.facts.transparency;
}

/** Whether a log of the policy, with its witnesses, holds the receipt. */
export function isLogged(check: ArtefactCheck): boolean {
  return transparencyOf(check).status === 'included';
}

/** The statements of a transparency log and its witnesses about the receipt, reported besides the checks. */
export function LogFact({ transparency }: { readonly transparency: Transparency }): VNode {
  const { status, code, detail, origin, index, treeSize, loggedAfter, loggedBy, witnesses } = transparency;
  const fault = `${T.proofFault} ${detail ?? ''} [${code ?? ''}]`;
  return (
    <Fact name={TEXTS.facts.transparency}>
      <div data-transparency={status} data-log-code={code ?? undefined}>
        {status === 'included' && index !== null && treeSize !== null && (
          <>
            <b>{T.entry(index, treeSize)}</b> {T.ofLog} {origin}.{' '}
            <span class="note">{T.included(witnesses, loggedAfter, loggedBy)}</span>
            {code !== null && <p class="note">{`${T.remark} ${detail ?? ''} [${code}]`}</p>}
          </>
        )}
        {status === 'not-checked' && T.notJudged}
        {status === 'absent' && T.absent}
        {(status === 'invalid' || status === 'unknown-log') && <p class="warning">{fault}</p>}
      </div>
    </Fact>
  );
}
