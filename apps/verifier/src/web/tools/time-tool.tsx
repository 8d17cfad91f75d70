import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ArtefactCheck } from '../../check/check-result.js';
import { outcomeOfCheck } from '../../check/headline.js';
import { Fact } from '../../view/fact.js';
import { TEXTS } from '../../view/texts.js';
import { ExternalTime, timeOf } from '../../view/external-time.js';
import { Verdict } from '../../view/verdict.js';
import type { ToolProps } from './tool-props.js';
import { LatestAnswer } from './latest-answer.js';
import { TsaRootsPanel } from './tsa-roots-panel.js';

const T = TEXTS.time;

type TimeToolProps = Omit<ToolProps, 'check' | 'tsaRoots'> & {
  readonly check: ArtefactCheck;
  readonly askedHash: string;
};

/** Checks a record once more, under the time-stamping authorities that the visitor chooses. */
export function TimeTool({ engine, source, keySet, logPolicy, check, askedHash }: TimeToolProps): VNode | null {
  const [result, setResult] = useState<ArtefactCheck | 'crashed' | null>(null);
  const [latest] = useState(() => new LatestAnswer());
  if (timeOf(check).timestamp?.type !== 'rfc3161') return null;
  const run = async (tsaRoots: string | null): Promise<void> => {
    setResult(null);
    latest.forget();
    if (tsaRoots === null) return;
    const { keySource } = check;
    const verifiedAt = new Date().toISOString();
    const request = { source, keySet, keySource, tsaRoots, logPolicy, askedHash, verifiedAt };
    const found = await latest.of(engine.ask('check', request).catch(() => 'crashed' as const));
    if (found !== null) setResult(found);
  };
  return (
    <details class="card tool fold" id="time-tool">
      <summary>
        <h2>{T.tool}</h2>
      </summary>
      <p>{T.toolLead}</p>
      <TsaRootsPanel id="time-roots" engine={engine} onRoots={(pem) => void run(pem)} />
      <div aria-live="polite">
        {result === 'crashed' && <p class="outcome bad">{TEXTS.tools.crashed}</p>}
        {result !== null && result !== 'crashed' && (
          <div data-timed={timeOf(result).timestamp?.status}>
            <Verdict by="file" outcome={outcomeOfCheck(result)} />
            <dl class="facts">
              <Fact name={TEXTS.facts.timestamp}>
                <ExternalTime {...timeOf(result)} />
              </Fact>
            </dl>
          </div>
        )}
      </div>
    </details>
  );
}
