import { render } from 'preact';
import { KEY_SET_PATH } from '../check/key-set-path.js';
import type { ArtefactCheck } from '../check/check-result.js';
import { agree, NOT_FOUND, outcomeOfCheck, type BrowserOutcome, type Outcome } from '../check/headline.js';
import { ArtefactView } from '../view/artefact-view.js';
import { cliCommand, recordUrl } from '../view/record-page.js';
import { TEXTS } from '../view/texts.js';
import { CheckedBy, PendingVerdict, Verdict } from '../view/verdict.js';
import { EngineFailure, type Engine } from './engine.js';
import { StepBrowser } from './step-browser.js';
import { RecordTools } from './tools/record-tools.js';

/** What the server put into the page. */
export interface PageState {
  readonly kind: 'certificate' | 'project';
  readonly hash: string;
  readonly server: Outcome;
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
  render(<PendingVerdict server={state.server} />, emptied(verdict));
  const local = await checkLocally(state, engine, nodeUrl);
  const outcome = agree(state.server, local.browser);
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
    if (outcome.headline !== 'unchecked') emptied(details);
    return;
  }
  const { check } = local;
  const stepTable = check.kind === 'project' ? <StepBrowser steps={check.steps} stepLink /> : undefined;
  render(<ArtefactView check={check} cli={cli} stepLink stepTable={stepTable} />, emptied(details));
  const tools = document.getElementById('record-tools');
  if (tools !== null && local.record !== null) {
    render(<RecordTools engine={engine} source={local.record} keySet={local.keySet} check={check} />, tools);
  }
}

async function checkLocally(state: PageState, engine: Engine, nodeUrl: string): Promise<LocalCheck> {
  const nothing = { check: null, record: null, keySet: null };
  const keySetUrl = `${nodeUrl}${KEY_SET_PATH}`;
  let record: Response;
  let keySetText: string;
  let source: string;
  try {
    const [answer, keys] = await Promise.all([
      fetchPlain(recordUrl(state.kind, state.hash, nodeUrl)),
      fetchPlain(keySetUrl),
    ]);
    record = answer;
    if (record.status === 404) return { ...nothing, browser: { state: 'done', outcome: NOT_FOUND } };
    if (!record.ok || !keys.ok) return { ...nothing, browser: { state: 'failed', reason: 'node' } };
    [source, keySetText] = await Promise.all([record.text(), keys.text()]);
  } catch {
    return { ...nothing, browser: { state: 'failed', reason: 'node' } };
  }
  try {
    const at = new Date().toISOString();
    const check = await engine.ask('check', {
      source,
      keySet: keySetText,
      keySource: { kind: 'node', where: keySetUrl, at },
      askedHash: state.hash,
      verifiedAt: at,
    });
    return { browser: { state: 'done', outcome: outcomeOfCheck(check) }, check, record: source, keySet: keySetText };
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error;
    return { ...nothing, browser: { state: 'failed', reason: 'engine' } };
  }
}

function fetchPlain(url: string): Promise<Response> {
  return fetch(url, { credentials: 'omit', redirect: 'error', referrerPolicy: 'no-referrer', cache: 'no-store' });
}

function linesOf(server: Outcome, browser: BrowserOutcome): readonly (readonly [string, string])[] {
  const { serverSaid, browserSaid, noNode, noEngine } = TEXTS.checkedBy;
  const serverLine = [serverSaid, TEXTS.headlines[server.headline].title] as const;
  if (browser.state === 'failed') return [serverLine, [browser.reason === 'node' ? noNode : noEngine, '']];
  return [serverLine, [browserSaid, TEXTS.headlines[browser.outcome.headline].title]];
}

/** Preact would otherwise try to make the server's elements its own. */
function emptied(element: HTMLElement): HTMLElement {
  element.replaceChildren();
  return element;
}
