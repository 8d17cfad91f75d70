import type { VNode } from 'preact';
import type { StepView } from '../check/check-result.js';
import { FindingList } from './findings.js';
import { Icon } from './icon.js';
import { TEXTS } from './texts.js';

const T = TEXTS.project;

/** A page never holds more rows than this: ten thousand would freeze it. */
export const ROWS_AT_ONCE = 100;

const ICON = { VERIFIED: 'pass', VERIFIED_CONFIDENTIAL: 'pass', FAILED: 'fail', WITHDRAWN: 'skipped' } as const;

interface StepTableProps {
  readonly steps: readonly StepView[];
  /** Do steps have separate pages? */
  readonly stepLink: boolean;
  /** Index of the first row. */
  readonly start?: number;
}

/** One window of the steps; where it does not show all, the failing ones come first. */
export function StepTable({ steps, stepLink, start = 0 }: StepTableProps): VNode {
  const shown = steps.slice(start, start + ROWS_AT_ONCE);
  const hidden = steps
    .filter((step, index) => isFaulty(step) && (index < start || index >= start + ROWS_AT_ONCE))
    .slice(0, ROWS_AT_ONCE);
  return (
    <div class="scroll" tabIndex={0}>
      <p class="note" data-steps-shown>
        {T.shown}
        {steps.length === 0 ? 0 : start + 1}–{Math.min(start + ROWS_AT_ONCE, steps.length)} {T.of} {steps.length}
      </p>
      <table class="steps">
        <thead>
          <tr>
            <th scope="col">{T.step}</th>
            <th scope="col">{T.status}</th>
            <th scope="col">{T.certificate}</th>
            <th scope="col">{T.execution}</th>
          </tr>
        </thead>
        <tbody>
          {hidden.map((step) => (
            <StepRow key={`fault ${step.stepId}`} step={step} stepLink={stepLink} />
          ))}
          {shown.map((step, index) => (
            <StepRow key={`${start + index} ${step.stepId}`} step={step} stepLink={stepLink} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function isFaulty({ status, breaksChain }: StepView): boolean {
  return status === 'FAILED' || breaksChain;
}

function StepRow({ step, stepLink }: { readonly step: StepView; readonly stepLink: boolean }): VNode {
  const { stepId, label, sequence, status, certificateHash, executionId, isAttested, breaksChain, findings } = step;
  const hash = <code class="hash short">{certificateHash}</code>;
  return (
    <tr class={isFaulty(step) ? 'faulty' : ''} data-step={stepId}>
      <th scope="row">
        {sequence !== null && <span class="sequence">{sequence}</span>} {label ?? stepId}
        {label !== null && <span class="note"> {stepId}</span>}
      </th>
      <td>
        <span class={`step-status status-${status.toLowerCase()}`}>
          <Icon name={ICON[status]} /> {T.stepStatus[status]}
        </span>
        <span class="note"> {isAttested ? T.attested : T.unattested}</span>
        {breaksChain && <strong class="chain-break">{T.chainBreak}</strong>}
        {isFaulty(step) && findings.length > 0 && <FindingList findings={findings.slice(0, 3)} />}
      </td>
      <td>
        {stepLink && status !== 'WITHDRAWN' ? <a href={`/c/${encodeURIComponent(certificateHash)}`}>{hash}</a> : hash}
      </td>
      <td>{executionId ?? '–'}</td>
    </tr>
  );
}
