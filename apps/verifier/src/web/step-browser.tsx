import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { StepView } from '../check/check-result.js';
import { isFaulty, ROWS_AT_ONCE, StepTable } from '../view/step-table.js';
import { TEXTS } from '../view/texts.js';

const T = TEXTS.project;

/** The steps, a window at a time: a page never holds ten thousand rows. */
export function StepBrowser({
  steps,
  stepLink,
}: {
  readonly steps: readonly StepView[];
  readonly stepLink: boolean;
}): VNode {
  const [start, setStart] = useState(0);
  const [onlyFaulty, setOnlyFaulty] = useState(false);
  const faulty = steps.filter(isFaulty);
  const chosen = onlyFaulty ? faulty : steps;
  const move = (by: number) => () => {
    setStart((now) => (now + by >= chosen.length ? now : Math.max(0, now + by)));
  };
  return (
    <>
      <div class="step-controls">
        {steps.length > ROWS_AT_ONCE && (
          <>
            {/* A disabled button would lose the focus. */}
            <button type="button" class="button quiet" aria-disabled={start === 0} onClick={move(-ROWS_AT_ONCE)}>
              {T.previous}
            </button>
            <button
              type="button"
              class="button quiet"
              aria-disabled={start + ROWS_AT_ONCE >= chosen.length}
              onClick={move(ROWS_AT_ONCE)}
            >
              {T.next}
            </button>
          </>
        )}
        {faulty.length > 0 && (
          <label>
            <input
              type="checkbox"
              checked={onlyFaulty}
              onChange={() => {
                setOnlyFaulty(!onlyFaulty);
                setStart(0);
              }}
            />{' '}
            {T.onlyFailing} ({faulty.length})
          </label>
        )}
      </div>
      <StepTable steps={chosen} stepLink={stepLink} start={start} />
    </>
  );
}
