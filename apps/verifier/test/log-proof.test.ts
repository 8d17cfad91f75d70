import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { auditPage } from '@cer/test-browser';
import { TEST_NODE_ID, TEST_SIGNER } from '@cer/cer-core/testing';
import { testKeySet } from '@cer/keys/testing';
import { ask, verdictOf } from './ask.js';
import { describeInChromium, type WatchedPage } from './chromium.js';
import { Files } from './files.js';
import { loggedRecord, logPolicy, otherLogPolicy, publishLogged } from './logged.js';
import { startStubNode, type StubNode } from './stub-node.js';
import { startVerifier, WEB_BUILD_FOLDER, type VerifierUnderTest } from './verifier-under-test.js';

describeInChromium('log proofs', (chromium) => {
  const files = new Files();
  let node: StubNode;
  let verifier: VerifierUnderTest;
  let path: string;
  let watched: WatchedPage;

  beforeAll(async () => {
    node = await startStubNode();
    verifier = await startVerifier({ nodeUrl: node.url, logPolicy: logPolicy() });
    path = `/c/${encodeURIComponent(await publishLogged(node))}`;
    await chromium.start();
  });

  afterEach(() => watched.close());

  afterAll(async () => {
    await chromium.stop();
    await verifier.close();
    await node.close();
    files.remove();
  });

  it("are judged by server and browser under the site's policy", async () => {
    const page = await ask(verifier.url, path);
    expect(page.text).toMatch(/data-transparency="included".*w1\.example, w2\.example/s);
    // People count from 1.
    const [, place, index] = /Entry (\d+) of \d+ \(index (\d+)\)/.exec(page.text) ?? [];
    expect(Number(place)).toBe(Number(index) + 1);
    const report: unknown = JSON.parse((await ask(verifier.url, `${path}/report.json`)).text);
    expect(report).toMatchObject({ status: 'VERIFIED', transparency: { status: 'included', code: null } });
    watched = await chromium.open();
    await watched.page.goto(`${verifier.url}${path}`);
    await watched.page.waitForSelector('[data-checked-by="browser"][data-verdict="VERIFIED"]');
    await watched.page.waitForSelector('#details [data-transparency="included"]');
    expect(await watched.text('#scope-title ~ div')).toContain('the log named above held the receipt');
    await auditPage(watched.page, 'log-proof');
    expect(watched.complaints).toEqual([]);
  });

  it('are not judged by a site without a policy', async () => {
    const other = await startVerifier({ nodeUrl: node.url });
    watched = await chromium.open();
    await watched.page.goto(`${other.url}${path}`);
    await watched.page.waitForSelector('#details [data-transparency="not-checked"]');
    expect(verdictOf(await ask(other.url, path))).toBe('VERIFIED');
    await other.close();
  });

  it('count offline only under the chosen policy', async () => {
    const { record } = await loggedRecord();
    const offline = pathToFileURL(join(WEB_BUILD_FOLDER, 'offline.html')).href;
    watched = await chromium.open();
    await watched.page.setOfflineMode(true);
    await watched.page.goto(offline);
    await watched.upload('#artefact-file', files.write('record.json', record));
    // Its result scrolls the page: a click before that could miss.
    await watched.page.waitForSelector('.result[data-code="VERIFICATION_MATERIAL_UNAVAILABLE"]');
    const keys = testKeySet({ nodeId: TEST_NODE_ID, signers: [{ signer: TEST_SIGNER }] });
    await watched.upload('#key-set-file', files.write('keys.json', keys));
    await watched.page.waitForSelector('#confirm-keys');
    await watched.page.click('#confirm-keys');
    await watched.page.waitForSelector('.result [data-verdict="VERIFIED"] ~ * [data-transparency="not-checked"]');
    const choose = (name: string, text: string): Promise<void> =>
      watched.upload('#log-policy-file', files.write(name, text));
    await choose('no.txt', 'no policy');
    await watched.page.waitForFunction('document.body.textContent.includes("That file is not a policy")');
    await choose('other.txt', otherLogPolicy());
    await watched.page.waitForSelector('.result [data-transparency="unknown-log"][data-log-code="LOG_UNKNOWN"]');
    // A log does not affect the layers, so the verdict stays.
    expect(await watched.attribute('.result', 'data-code')).toBe('OK');
    await choose('policy.txt', logPolicy().text);
    await watched.page.waitForSelector('.result [data-transparency="included"]');
    expect(await watched.text('.result .facts')).toContain('Witnessed by w1.example, w2.example');
    await auditPage(watched.page, 'offline-log-proof');
    await watched.upload('#artefact-file', files.write('dated.json', changedSignature(record)));
    await watched.page.waitForSelector('.result [data-transparency="invalid"][data-log-code="LOG_INCLUSION_INVALID"]');
    expect([watched.complaints, watched.requests]).toEqual([[], [offline]]);
  });
});

/** The record with a proof that is of another receipt. */
function changedSignature(record: object): object {
  return JSON.parse(JSON.stringify(record).replace(/("signature":")./g, '$1_')) as object;
}
