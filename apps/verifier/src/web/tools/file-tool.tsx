import type { RefObject, VNode } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ArtefactCheck } from '../../check/check-result.js';
import { outcomeOfCheck } from '../../check/headline.js';
import { ArtefactView } from '../../view/artefact-view.js';
import { TEXTS } from '../../view/texts.js';
import { CheckedBy, Verdict } from '../../view/verdict.js';
import type { Engine } from '../engine.js';
import { StepBrowser } from '../step-browser.js';
import { ArtefactInput, savedAsGiven, type Given } from './artefact-input.js';
import { KeyPanel } from './key-panel.js';
import { LogPolicyPanel } from './log-policy-panel.js';
import type { NodeKeys, PinnedKeys } from './node-keys.js';
import { RecordTools } from './record-tools.js';
import { TsaRootsPanel } from './tsa-roots-panel.js';
import type { SavedRecord } from '../../check/saved-record.js';

const T = TEXTS.tools;

interface FileToolProps {
  readonly engine: Engine;
  /** Null in the offline file, which makes no request. */
  readonly loadNodeKeys: (() => Promise<NodeKeys>) | null;
  readonly saved: SavedRecord | null;
}

type Progress = { readonly done: number; readonly total: number } | null;
type CheckState =
  | { readonly state: 'idle' }
  | { readonly state: 'working'; readonly given: Given; readonly progress: Progress }
  | { readonly state: 'done'; readonly given: Given; readonly check: ArtefactCheck }
  | { readonly state: 'crashed'; readonly given: Given };

/** Checks dropped, picked or pasted text on this device. */
export function FileTool({ engine, loadNodeKeys, saved }: FileToolProps): VNode {
  const [given, setGiven] = useState<Given | null>(saved === null ? null : savedAsGiven(saved));
  const [keys, setKeys] = useState<PinnedKeys | null>(null);
  const [tsaRoots, setTsaRoots] = useState<string | null>(null);
  const [logPolicy, setLogPolicy] = useState<string | null>(null);
  const [result, setResult] = useState<CheckState>({ state: 'idle' });

  useEffect(() => {
    if (given === null) {
      setResult({ state: 'idle' });
      return undefined;
    }
    let isCurrent = true;
    const show = (next: CheckState): void => {
      if (isCurrent) setResult(next);
    };
    show({ state: 'working', given, progress: null });
    const request = {
      source: given.source,
      keySet: keys?.text ?? null,
      keySource: keys?.source ?? null,
      tsaRoots,
      logPolicy,
      askedHash: given.askedHash,
      verifiedAt: new Date().toISOString(),
    };
    engine
      .ask('check', request, (done, total) => {
        show({ state: 'working', given, progress: { done, total } });
      })
      .then(
        (check) => {
          show({ state: 'done', given, check });
        },
        () => {
          show({ state: 'crashed', given });
        },
      );
    return () => {
      isCurrent = false;
    };
  }, [engine, given, keys, tsaRoots, logPolicy]);
  const outcome = useBroughtIntoView(result, saved);

  return (
    <>
      <section class="card" aria-labelledby="file-title">
        <h2 id="file-title">{T.title}</h2>
        <p>{T.lead}</p>
        <ArtefactInput id="artefact" onGiven={setGiven} saved={saved} />
        <KeyPanel engine={engine} loadNodeKeys={loadNodeKeys} saved={saved} onKeys={setKeys} />
        <TsaRootsPanel id="tsa-roots-file" engine={engine} onRoots={setTsaRoots} />
        <LogPolicyPanel id="log-policy-file" engine={engine} onPolicy={setLogPolicy} />
      </section>
      <div ref={outcome}>
        <div aria-live="polite">
          <Progress result={result} />
        </div>
        {result.state === 'done' && (
          <Result
            engine={engine}
            given={result.given}
            keys={keys}
            tsaRoots={tsaRoots}
            logPolicy={logPolicy}
            check={result.check}
          />
        )}
      </div>
    </>
  );
}

/**
 * Scrolls to each check that answers an act of the visitor, a file or other keys: it is below the settings, out of view.
 * The check of the record that is saved in the page answers none.
 */
function useBroughtIntoView({ state }: CheckState, saved: SavedRecord | null): RefObject<HTMLDivElement | null> {
  const outcome = useRef<HTMLDivElement>(null);
  const isUnasked = useRef(saved !== null);
  useLayoutEffect(() => {
    if (state === 'idle') return;
    if (!isUnasked.current) outcome.current?.scrollIntoView();
    else if (state !== 'working') isUnasked.current = false;
  }, [state]);
  return outcome;
}

function Progress({ result }: { readonly result: CheckState }): VNode | null {
  if (result.state === 'crashed')
    return (
      <Verdict by="file" outcome={{ headline: 'unchecked', verdict: 'UNCHECKED', tone: 'unknown', identity: '' }} />
    );
  if (result.state !== 'working') return null;
  const { given, progress } = result;
  return (
    <div class="card working">
      <p>
        {T.working} {given.name}
      </p>
      <progress aria-label={T.working} {...(progress !== null && { value: progress.done, max: progress.total })} />
      {progress !== null && (
        <p class="note">
          {progress.done} / {progress.total} {T.stepsDone}
        </p>
      )}
    </div>
  );
}

interface ResultProps {
  readonly engine: Engine;
  readonly given: Given;
  readonly keys: PinnedKeys | null;
  readonly tsaRoots: string | null;
  readonly logPolicy: string | null;
  readonly check: ArtefactCheck;
}

function Result({ engine, given, keys, tsaRoots, logPolicy, check }: ResultProps): VNode {
  const { file, nothingUploaded } = TEXTS.checkedBy;
  const root = keys?.source.voucher?.rootFingerprint;
  const cli = [
    check.kind === 'project' ? 'cer verify-project FILE' : 'cer verify FILE',
    root === undefined ? '--keys keys.json' : `--history history.json --root ${root}`,
    ...(tsaRoots === null ? [] : ['--tsa-roots roots.pem']),
    ...(logPolicy === null ? [] : ['--log-policy policy.txt']),
  ].join(' ');
  const stepTable = check.kind === 'project' ? <StepBrowser steps={check.steps} stepLink={false} /> : undefined;
  return (
    <div class="result" data-code={check.code}>
      <Verdict by="file" outcome={outcomeOfCheck(check)}>
        <CheckedBy lines={[[`${file}: `, given.name]]} />
        <p class="note">{nothingUploaded}</p>
      </Verdict>
      <ArtefactView check={check} cli={cli} stepLink={false} stepTable={stepTable} />
      {check.kind === 'certificate' && (
        <RecordTools
          engine={engine}
          source={given.source}
          keySet={keys?.text ?? null}
          tsaRoots={tsaRoots}
          logPolicy={logPolicy}
          check={check}
        />
      )}
    </div>
  );
}
