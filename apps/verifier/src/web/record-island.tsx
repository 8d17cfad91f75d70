import { render } from 'preact';
import type { OnProgress } from '../check/check-artefact.js';
import type { ArtefactCheck } from '../check/check-result.js';
import { agree, NOT_FOUND, outcomeOfCheck, type BrowserOutcome, type Outcome } from '../check/headline.js';
import { ArtefactView } from '../view/artefact-view.js';
import { shortHash, verdictTitle } from '../view/embed-code.js';
import { cliCommand, recordUrl } from '../view/record-page.js';
import { TEXTS } from '../view/texts.js';
import { CheckedBy, PendingVerdict, Verdict } from '../view/verdict.js';
import { EngineFailure, type Engine } from './engine.js';
import { replaceContent } from './replace-content.js';
import { StepBrowser } from './step-browser.js';
import { fetchText, type NodeText } from './node-text.js';
import { nodeKeys, type NodeKeys } from './tools/node-keys.js';
import { RecordTools } from './tools/record-tools.js';
import { TimeTool } from './tools/time-tool.js';

/** The data that the server put into the page. */
export interface PageState {
  readonly kind: 'certificate' | 'project';
  readonly hash: string;
  readonly server: Outcome;
  /** The text of the log policy of this site; null: it has none. */
  readonly logPolicy: string | null;
}

interface LocalCheck {
  readonly browser: BrowserOutcome;
  readonly check: ArtefactCheck | null;
  readonly record: string | null;
  readonly keySet: string | null;
}

/** Fetches record and keys from the node itself, checks again, and shows the verdict on which both sides agree. */
export async function checkAgain(state: PageState, engine: Engine, nodeUrl: string): Promise<void> {
  const verdict = document.getElementById('verdict');
  const details = document.getElementById('details');
  if (verdict === null || details === null) return;
  document.title = `${TEXTS.checking.title}: ${shortHash(state.hash)}`;
  // Nothing below a pending verdict is green, as it is not below an unsettled one.
  details.classList.add('unconfirmed');
  render(<PendingVerdict server={state.server} />, emptied(verdict));
  const local = await checkLocally(state, engine, nodeUrl, (done, total) => {
    render(<PendingVerdict server={state.server} progress={{ done, total }} />, verdict);
  });
  const outcome = agree(state.server, local.browser);
  document.title = verdictTitle(outcome, state.hash);
  render(
    <Verdict outcome={outcome} by="browser">
      <CheckedBy lines={linesOf(state.server, local.browser)} />
    </Verdict>,
    verdict,
  );
  const cli = cliCommand(state.kind, state.hash, nodeUrl);
  // Nothing below an unsettled verdict is green either, whichever side it comes from.
  details.classList.toggle('unconfirmed', outcome.headline === 'unchecked' || outcome.headline === 'disagreement');
  if (local.check === null) {
    if (outcome.headline !== 'unchecked') replaceContent(details, () => undefined);
    return;
  }
  const { check } = local;
  const stepTable = check.kind === 'project' ? <StepBrowser steps={check.steps} stepLink /> : undefined;
  replaceContent(details, () => {
    render(<ArtefactView check={check} cli={cli} stepLink stepTable={stepTable} />, details);
  });
  const tools = document.getElementById('record-tools');
  if (tools !== null && local.record !== null) {
    const given = { engine, source: local.record, keySet: local.keySet, logPolicy: state.logPolicy };
    render(
      <>
        <TimeTool {...given} check={check} askedHash={state.hash} />
        <RecordTools {...given} tsaRoots={null} check={check} />
      </>,
      tools,
    );
  }
}

async function checkLocally(
  state: PageState,
  engine: Engine,
  nodeUrl: string,
  onProgress: OnProgress,
): Promise<LocalCheck> {
  const without = (browser: BrowserOutcome): LocalCheck => ({ browser, check: null, record: null, keySet: null });
  try {
    const [source, found] = await Promise.all([
      fetchText(recordUrl(state.kind, state.hash, nodeUrl)),
      nodeKeys(nodeUrl, engine),
    ]);
    if (source === 'not-found') return without({ state: 'done', outcome: NOT_FOUND });
    if (found.state === 'refused') return without({ state: 'failed', reason: 'pin', detail: found.finding.detail });
    if (typeof source === 'string' || found.state !== 'have') return without(withoutAnswer(source, found));
    const { text: keySet, source: keySource } = found.keys;
    const verifiedAt = new Date().toISOString();
    const pins = { keySet, keySource, tsaRoots: null, logPolicy: state.logPolicy };
    const request = { source: source.text, ...pins, askedHash: state.hash, verifiedAt };
    const check = await engine.ask('check', request, onProgress);
    return { browser: { state: 'done', outcome: outcomeOfCheck(check) }, check, record: source.text, keySet };
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error;
    return without({ state: 'failed', reason: 'engine' });
  }
}

function withoutAnswer(source: NodeText, keys: NodeKeys): BrowserOutcome {
  const { silent, parts } = TEXTS.node;
  const missing = [
    ...(source === 'silent' ? [parts.record] : []),
    ...(keys.state === 'silent' ? [parts[keys.part]] : []),
  ];
  if (missing.length === 0) return { state: 'failed', reason: 'node' };
  return { state: 'failed', reason: 'silent', detail: silent(missing) };
}

function linesOf(server: Outcome, browser: BrowserOutcome): readonly (readonly [string, string])[] {
  const { serverSaid, browserSaid, noNode, noEngine, pinRefused } = TEXTS.checkedBy;
  const serverLine = [serverSaid, TEXTS.headlines[server.headline].title] as const;
  if (browser.state === 'failed') {
    const why = { node: noNode, engine: noEngine, pin: pinRefused, silent: '' }[browser.reason];
    return [serverLine, [why, browser.detail ?? '']];
  }
  return [serverLine, [browserSaid, TEXTS.headlines[browser.outcome.headline].title]];
}

/** Preact would otherwise hydrate the server's elements. */
function emptied(element: HTMLElement): HTMLElement {
  element.replaceChildren();
  return element;
}
