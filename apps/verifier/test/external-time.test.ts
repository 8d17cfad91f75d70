import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { auditPage, takeScreenshots } from '@cer/test-browser';
import type { JsonObject } from '@cer/canonical-json';
import { TEST_NODE_ID, TEST_SIGNER } from '@cer/cer-core/testing';
import { testKeySet } from '@cer/keys/testing';
import { createOpensslTsa, type OpensslTsa } from '@cer/timestamps/testing';
import { ask } from './ask.js';
import { describeInChromium, type WatchedPage } from './chromium.js';
import { Files } from './files.js';
import { historyAfterRevocation, nodeHistory } from './key-history.js';
import { hashOf, lookupAnswer, plain } from './records.js';
import { timestamped } from './timestamped.js';
import { certificatePath, startStubNode, type StubNode } from './stub-node.js';
import { startVerifier, WEB_BUILD_FOLDER, type VerifierUnderTest } from './verifier-under-test.js';

// Timestamps of a real authority, under authorities of the visitor's choice and keys of a pinned root.

describeInChromium('external time and pins', (chromium) => {
  const files = new Files();
  const offline = join(WEB_BUILD_FOLDER, 'offline.html');
  let tsa: OpensslTsa;
  let node: StubNode;
  let verifier: VerifierUnderTest;
  let record: JsonObject;
  let roots: string;
  let watched: WatchedPage;

  beforeAll(async () => {
    tsa = createOpensslTsa();
    roots = files.write('tsa.pem', tsa.rootPem);
    record = await timestamped(await plain(), tsa);
    node = await startStubNode();
    verifier = await startVerifier({ nodeUrl: node.url });
    node.answers.set(certificatePath(hashOf(record)), { status: 200, body: lookupAnswer(record) });
    await chromium.start();
  });

  afterEach(() => watched.close());

  afterAll(async () => {
    await chromium.stop();
    await verifier.close();
    await node.close();
    tsa.remove();
    files.remove();
  });

  async function openOffline(): Promise<void> {
    watched = await chromium.open();
    await watched.page.setOfflineMode(true);
    await watched.page.goto(pathToFileURL(offline).href);
    await watched.upload('#artefact-file', files.write('certificate.json', record));
    // Its result scrolls the page: a click before that could miss.
    await watched.page.waitForSelector('.result[data-code="VERIFICATION_MATERIAL_UNAVAILABLE"]');
  }

  async function confirmRoot(): Promise<void> {
    await watched.page.waitForSelector('input[name="confirm-root"]');
    await watched.page.click('input[name="confirm-root"]');
    await watched.page.waitForSelector('[data-key-state="confirmed"]');
  }

  it('is shown without JavaScript as an unchosen authority’s', async () => {
    watched = await chromium.open({ scripts: false });
    const page = await ask(verifier.url, `/c/${encodeURIComponent(hashOf(record))}`);
    expect(page.text).toMatch(/data-external-time="untrusted".*Test TSA/s);
  });

  it('loads its code only for records with a timestamp', async () => {
    watched = await chromium.open();
    const isTimestampCode = (url: string): boolean => url.includes('/assets/timestamp-code-');
    const bare = await plain();
    const other = { ...lookupAnswer(bare), certificateHash: hashOf(bare) };
    node.answers.set(certificatePath(hashOf(bare)), { status: 200, body: other });
    await watched.page.goto(`${verifier.url}/c/${encodeURIComponent(hashOf(bare))}`);
    await watched.page.waitForSelector('[data-checked-by="browser"][data-verdict="VERIFIED"]');
    expect((await workerFiles(watched)).filter(isTimestampCode)).toEqual([]);
    node.answers.set(certificatePath(hashOf(record)), { status: 200, body: lookupAnswer(record) });
    await watched.page.goto(`${verifier.url}/c/${encodeURIComponent(hashOf(record))}`);
    await watched.page.waitForSelector('[data-checked-by="browser"][data-verdict="VERIFIED"][data-tone="good"]');
    await watched.page.waitForSelector('#details [data-external-time="untrusted"]');
    expect((await workerFiles(watched)).filter(isTimestampCode)).toHaveLength(1);
    await watched.page.$eval('#time-tool', (tool) => {
      tool.setAttribute('open', '');
    });
    await watched.upload('#time-roots', roots);
    await watched.page.waitForSelector('#time-tool [data-timed="verified"] [data-tone="good"]');
    expect(await watched.text('#time-tool [data-timed]')).toContain('timestamped by Test TSA');
    await auditPage(watched.page, 'external-time');
    expect(watched.complaints).toEqual([]);
  });

  it('counts offline only under the chosen PEM file', async () => {
    await openOffline();
    const keys = testKeySet({ nodeId: TEST_NODE_ID, signers: [{ signer: TEST_SIGNER }] });
    await watched.upload('#key-set-file', files.write('keys.json', keys));
    await watched.page.waitForSelector('#confirm-keys');
    await watched.page.click('#confirm-keys');
    await watched.page.waitForSelector('.result [data-external-time="untrusted"]');
    await watched.upload('#tsa-roots-file', files.write('no.pem', 'no certificates'));
    await watched.page.waitForFunction('document.body.textContent.includes("not a list of PEM certificates")');
    await watched.upload('#tsa-roots-file', roots);
    await watched.page.waitForSelector('.result [data-external-time="verified"]');
    expect(await watched.text('.result')).toContain('as the authority that you chose says');
    await auditPage(watched.page, 'offline-external-time');
    expect([watched.complaints, watched.requests]).toEqual([[], [pathToFileURL(offline).href]]);
  });

  it('takes keys from a history file after confirmation', async () => {
    await openOffline();
    await watched.upload('#key-set-file', files.write('history.json', await nodeHistory().signed()));
    await watched.page.waitForSelector('[data-key-state="unconfirmed"]');
    expect(await watched.text('.history-pin')).toContain(nodeHistory().rootFingerprint);
    expect(await watched.attribute('.result', 'data-code')).toBe('VERIFICATION_MATERIAL_UNAVAILABLE');
    await auditPage(watched.page, 'offline-history-unconfirmed');
    await confirmRoot();
    await watched.page.waitForSelector('.result [data-verdict="VERIFIED"][data-tone="good"]');
    expect(await watched.text('.result .facts')).toContain('Revocations known until');
    await auditPage(watched.page, 'offline-history-confirmed');
    await watched.page.click('input[name="confirm-root"]');
    await watched.page.waitForSelector('.result[data-code="VERIFICATION_MATERIAL_UNAVAILABLE"]');
  });

  it('fails when the timestamp is later than the revocation', async () => {
    await openOffline();
    await watched.upload('#key-set-file', files.write('history.json', await historyAfterRevocation().signed()));
    await confirmRoot();
    await watched.page.waitForSelector('.result[data-code="KEY_REVOKED"] [data-tone="bad"]');
    await watched.upload('#tsa-roots-file', roots);
    await watched.page.waitForSelector('.result[data-code="KEY_REVOKED"] [data-external-time="verified"]');
    await auditPage(watched.page, 'offline-key-revoked');
  });

  it('rescues a record timestamped before the revocation', async () => {
    await openOffline();
    const life = { status: 'revoked' as const, revokedAt: '2098-01-01T00:00:00Z', revocationReason: 'superseded' };
    const keys = testKeySet({ nodeId: TEST_NODE_ID, signers: [{ signer: TEST_SIGNER, ...life }] });
    await watched.upload('#key-set-file', files.write('revoked.json', keys));
    await watched.page.waitForSelector('#confirm-keys');
    await watched.page.click('#confirm-keys');
    await watched.page.waitForSelector('.result[data-code="KEY_REVOKED"]');
    await watched.upload('#tsa-roots-file', roots);
    await watched.page.waitForSelector('.result [data-verdict="VERIFIED"][data-tone="good"]');
    expect(await watched.text('.result .facts')).toContain('this timestamp is older than its revocation');
    expect(await watched.text('.result [data-layer="receipt"]')).toContain('The key was revoked since');
    await takeScreenshots(watched.page, 'offline-rescued');
  });
});

/** Addresses that the page's worker loaded. */
async function workerFiles({ page }: WatchedPage): Promise<string[]> {
  const inWorkers = await Promise.all(
    page.workers().map((worker) => worker.evaluate(`performance.getEntriesByType('resource').map(({ name }) => name)`)),
  );
  return inWorkers.flat().map(String);
}
