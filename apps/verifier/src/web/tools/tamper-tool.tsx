import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { CertificateCheck, ArtefactCheck } from '../../check/check-result.js';
import { outcomeOfCheck } from '../../check/headline.js';
import { FindingList } from '../../view/findings.js';
import { Layers } from '../../view/layers.js';
import { TEXTS } from '../../view/texts.js';
import { Verdict } from '../../view/verdict.js';
import { LatestAnswer } from './latest-answer.js';
import type { ToolProps } from './tool-props.js';

const T = TEXTS.tools;

/** The most instructive members for a demonstration: the content. */
const FIRST_CHOICE = 'snapshot.model';

/** Changes one value in a copy and shows which check catches it. */
export function TamperTool({ engine, source, keySet, tsaRoots, logPolicy, check }: ToolProps): VNode {
  const [paths, setPaths] = useState<readonly string[]>([]);
  const [path, setPath] = useState(FIRST_CHOICE);
  const [result, setResult] = useState<ArtefactCheck | 'crashed' | null>(null);
  // Neither the members of another record nor a result for another member must be shown.
  const [latest] = useState(() => ({ paths: new LatestAnswer(), result: new LatestAnswer() }));

  const clear = (): void => {
    latest.result.forget();
    setResult(null);
  };

  useEffect(() => {
    clear();
    const list = async (): Promise<void> => {
      const found = await latest.paths.of(engine.ask('paths', { source }).catch((): readonly string[] => []));
      if (found === null) return;
      setPaths(found);
      setPath(found.includes(FIRST_CHOICE) ? FIRST_CHOICE : (found[0] ?? ''));
    };
    void list();
  }, [engine, source]);

  const run = async (): Promise<void> => {
    const request = {
      source,
      keySet,
      keySource: check.keySource,
      tsaRoots,
      logPolicy,
      askedHash: null,
      verifiedAt: new Date().toISOString(),
      path,
    };
    const found = await latest.result.of(engine.ask('tamper', request).catch(() => 'crashed' as const));
    if (found !== null) setResult(found);
  };
  return (
    <details class="card tool fold" id="tamper-tool">
      <summary>
        <h2>{T.tamper}</h2>
      </summary>
      <p>{T.tamperLead}</p>
      <div class="form">
        <label for="tamper-path">{T.tamperMember}</label>
        <select
          id="tamper-path"
          value={path}
          onChange={(event) => {
            setPath(event.currentTarget.value);
            clear();
          }}
        >
          {paths.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
        <button type="button" id="tamper-run" class="button" disabled={paths.length === 0} onClick={() => void run()}>
          {T.tamperRun}
        </button>
      </div>
      <div aria-live="polite">
        {result === 'crashed' && <p class="outcome bad">{T.crashed}</p>}
        {result !== null && result !== 'crashed' && <TamperResult original={check} changed={result} />}
      </div>
    </details>
  );
}

function TamperResult({
  original,
  changed,
}: {
  readonly original: CertificateCheck;
  readonly changed: ArtefactCheck;
}): VNode {
  const isSame = outcomeOfCheck(changed).headline === outcomeOfCheck(original).headline;
  return (
    <div class="tamper-result" data-tampered={changed.code}>
      <h3>{T.tamperResult}</h3>
      <Verdict by="file" outcome={{ ...outcomeOfCheck(changed), ...(isSame && { tone: 'neutral' as const }) }} />
      {isSame && <p class="outcome neutral">{T.tamperUncovered}</p>}
      <FindingList findings={changed.findings.slice(0, 5)} />
      {changed.kind === 'certificate' && (
        <details>
          <summary>{TEXTS.layers.title}</summary>
          <Layers layers={changed.layers} isRescued={changed.facts.keyRescue !== null} />
        </details>
      )}
    </div>
  );
}
