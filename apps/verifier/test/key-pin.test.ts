import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { auditPage, newPage, takeScreenshots } from '@cer/test-browser';
import type { JsonObject } from '@cer/canonical-json';
import type { KeyHistoryDocument } from '@cer/keys/key-history';
import { ask, verdictOf } from './ask.js';
import { describeInChromium, type WatchedPage } from './chromium.js';
import { END_TIMERS, HOLD_TIMERS, holdAnswersTo } from './held-answers.js';
import { historyAfterRevocation, nodeHistory } from './key-history.js';
import { hashOf, lookupAnswer, plain } from './records.js';
import { certificatePath, KEY_HISTORY_PATH, KEY_SET_PATH, startStubNode, type StubNode } from './stub-node.js';
import { startVerifier, type VerifierUnderTest } from './verifier-under-test.js';

// A node's keys according to its history, and a visitor who trusts one root only.

describeInChromium('the key history at /keys', (chromium) => {
  let node: StubNode;
  let verifier: VerifierUnderTest;
  let signed: KeyHistoryDocument;
  let record: JsonObject;
  let recordPath: string;
  let watched: WatchedPage;
  const { rootFingerprint } = nodeHistory();

  beforeAll(async () => {
    node = await startStubNode();
    verifier = await startVerifier({ nodeUrl: node.url });
    signed = await nodeHistory().signed();
    record = await plain();
    recordPath = `/c/${encodeURIComponent(hashOf(record))}`;
    node.answers.set(certificatePath(hashOf(record)), { status: 200, body: lookupAnswer(record) });
    await chromium.start();
  });

  afterEach(() => watched.close());

  afterAll(async () => {
    await chromium.stop();
    await verifier.close();
    await node.close();
  });

  async function openKeys(history: unknown): Promise<void> {
    node.answers.set(KEY_HISTORY_PATH, { status: 200, body: history });
    watched = await chromium.open();
    await watched.page.goto(`${verifier.url}/keys`);
    await watched.page.waitForSelector('[data-history][data-checked-by="browser"]');
  }

  /** Confirms the fingerprint, as a visitor who has compared it. */
  async function pin(): Promise<void> {
    await watched.page.click('input[name="confirm-root"]');
    await watched.page.waitForSelector('[data-pin-state="confirmed"]');
  }

  /** Pins, and opens a page whose check of the pin is held until `held[0]()`. */
  async function openWhilePinIsChecked(path: string): Promise<void> {
    await openKeys(signed);
    await pin();
    await watched.page.evaluateOnNewDocument(holdAnswersTo('pin'));
    await watched.page.goto(`${verifier.url}${path}`);
    await watched.page.waitForFunction('held.length === 1');
  }

  it('lists every change without JavaScript', async () => {
    await openKeys(signed);
    const page = await ask(verifier.url, '/keys');
    expect(page.text).toContain('data-history="signed"');
    expect(page.text.match(/data-change="[a-z-]+"/g)).toHaveLength(signed.entries.length);
    for (const said of [rootFingerprint, 'the key fell into wrong hands', signed.statement?.nextUpdate ?? '?']) {
      expect(page.text).toContain(said);
    }
  });

  it('is read in the browser, unpinned before confirmation', async () => {
    await openKeys(signed);
    expect(await watched.text('[data-history="signed"]')).toContain('Checked in your browser');
    expect(await watched.page.evaluate('localStorage.length')).toBe(0);
    await auditPage(watched.page, 'keys-history');
    await pin();
    await auditPage(watched.page, 'keys-pinned');
    expect(watched.complaints).toEqual([]);
  });

  it('supplies the keys of every page once pinned', async () => {
    await openKeys(signed);
    await pin();
    node.requests.length = 0;
    await watched.page.goto(`${verifier.url}${recordPath}`);
    await watched.page.waitForSelector('[data-checked-by="browser"][data-verdict="VERIFIED"][data-tone="good"]');
    expect(await watched.text('#details')).toMatch(new RegExp(`Vouched for by root.*${rootFingerprint}`, 's'));
    expect(await watched.text('#details')).toContain(signed.statement?.issuedAt);
    await takeScreenshots(watched.page, 'verified-under-pin');
    await watched.page.goto(`${verifier.url}/`);
    await watched.page.waitForFunction('document.body.textContent.includes("for which the root that you pinned")');
    await watched.page.goto(`${verifier.url}/keys`);
    await watched.page.waitForSelector('.pin[data-pin-state="confirmed"]');
    await watched.page.click('#forget-pin');
    await watched.page.waitForSelector('.history-pin[data-pin-state="unconfirmed"]');
    expect(await watched.page.evaluate('localStorage.length')).toBe(0);
  });

  it('stays forgotten when it is forgotten during its check', async () => {
    await openWhilePinIsChecked('/keys');
    await watched.page.click('.pin[data-pin-state="checking"] #forget-pin');
    await watched.page.waitForSelector('.history-pin[data-pin-state="unconfirmed"]');
    // The page takes the answer before the next script runs.
    await watched.page.evaluate('held[0]()');
    expect(await watched.page.evaluate('localStorage.length')).toBe(0);
  });

  it.each(['/keys', 'the page of a record'])('stays forgotten in another tab while %s checks it', async (name) => {
    await openWhilePinIsChecked(name === '/keys' ? name : recordPath);
    const other = await newPage(watched.page.browserContext());
    await other.goto(`${verifier.url}/keys`);
    await (await other.waitForSelector('#forget-pin'))?.click();
    await other.waitForSelector('.history-pin[data-pin-state="unconfirmed"]');
    await watched.page.bringToFront();
    await watched.page.evaluate('held[0]()');
    if (name !== '/keys') await watched.verdict('VERIFIED');
    expect(await watched.page.evaluate('localStorage.length')).toBe(0);
  });

  it('is shown in every tab as it is remembered', async () => {
    await openKeys(signed);
    const other = await newPage(watched.page.browserContext());
    await other.goto(`${verifier.url}/keys`);
    await (await other.waitForSelector('input[name="confirm-root"]'))?.click();
    await other.waitForSelector('.pin[data-pin-state="confirmed"]');
    await watched.page.bringToFront();
    await watched.page.waitForSelector('.pin[data-pin-state="confirmed"]');
  });

  it('keeps the focus when a root is pinned and forgotten', async () => {
    await openKeys(signed);
    await watched.page.focus('input[name="confirm-root"]');
    await watched.page.keyboard.press('Space');
    await watched.page.waitForSelector('#forget-pin');
    expect(await watched.page.evaluate('document.activeElement !== document.body')).toBe(true);
    await watched.page.focus('#forget-pin');
    await watched.page.keyboard.press('Enter');
    await watched.page.waitForSelector('input[name="confirm-root"]');
    expect(await watched.page.evaluate('document.activeElement !== document.body')).toBe(true);
  });

  it('gives no verdict under an older or unpinned history', async () => {
    const growing = nodeHistory();
    await growing.signed();
    const newer = await growing.signed();
    await openKeys(newer);
    await pin();
    for (const shown of [signed, await nodeHistory().signed(), { type: 'no history' }]) {
      node.answers.set(KEY_HISTORY_PATH, { status: 200, body: shown });
      await watched.page.goto(`${verifier.url}${recordPath}`);
      await watched.verdict('UNCHECKED');
      expect(await watched.text('#verdict')).toContain('The root that you pinned does not confirm');
      expect(await watched.page.$('[data-tone="good"]')).toBeNull();
    }
    await auditPage(watched.page, 'pin-refused');
    node.answers.set(KEY_HISTORY_PATH, { status: 200, body: signed });
    await watched.page.goto(`${verifier.url}/keys`);
    await watched.page.waitForSelector('[data-pin-refused="KEY_HISTORY_ROLLBACK"]');
    await takeScreenshots(watched.page, 'keys-rolled-back');
  });

  it('differs from the server where only the history revokes', async () => {
    await openKeys(await historyAfterRevocation().signed());
    await pin();
    await watched.page.goto(`${verifier.url}${recordPath}`);
    await watched.verdict('DISAGREEMENT');
    expect(await watched.text('#details')).toContain('KEY_REVOKED');
  });

  it.each([
    ['keys-unsigned', 'unsigned', async () => ({ ...(await nodeHistory().signed()), statement: null, signatures: [] })],
    ['keys-broken', 'broken', async () => ({ ...(await nodeHistory().signed()), entries: signed.entries.slice(1) })],
  ] as const)('%s: says so and offers no pin', async (name, state, make) => {
    await openKeys(await make());
    await watched.page.waitForSelector(`[data-history="${state}"][data-checked-by="browser"]`);
    expect(await watched.page.$('input[name="confirm-root"]')).toBeNull();
    await auditPage(watched.page, name);
  });

  it('keeps the server’s result without the node', async () => {
    await openKeys(signed);
    const key = node.answers.get(KEY_SET_PATH);
    expect(key).toBeDefined();
    const other = await startVerifier({ nodeUrl: node.url, publicNodeUrl: 'http://127.0.0.1:9' });
    await watched.page.goto(`${other.url}/keys`);
    expect(await watched.text('[data-history="signed"]')).toContain('Checked by our server');
    await other.close();
  });

  it('says that the node stays silent about its history', async () => {
    await openKeys(signed);
    await watched.page.evaluateOnNewDocument(HOLD_TIMERS);
    const silent = await startStubNode();
    const asked = new Promise((resolve) => silent.answers.set(KEY_HISTORY_PATH, resolve));
    const other = await startVerifier({ nodeUrl: node.url, publicNodeUrl: silent.url });
    await watched.page.goto(`${other.url}/keys`);
    await asked;
    await watched.page.evaluate(END_TIMERS);
    await watched.page.waitForSelector('#key-history > .warning');
    expect(await watched.text('#key-history > .warning')).toContain('nothing of the key history. Load this page again');
    expect(await watched.text('[data-history="signed"]')).toContain('Checked by our server');
    await auditPage(watched.page, 'keys-silent-node');
    await other.close();
    await silent.close();
  });

  it('is saved in the offline file and confirmed there', async () => {
    await openKeys(signed);
    const saved = await ask(verifier.url, `${recordPath}/offline.html`);
    expect(verdictOf(saved)).toBeUndefined();
    const block = /id="saved-record">([^<]*)</.exec(saved.text)?.[1] ?? '';
    const { keyHistory } = JSON.parse(block) as { keyHistory: string };
    expect(JSON.parse(keyHistory)).toEqual(signed);
  });
});
