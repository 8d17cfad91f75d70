import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { auditPage } from '@cer/test-browser';
import { describeInChromium } from './chromium.js';
import { logPolicy } from './logged.js';
import { publishEveryState, type PageState } from './states.js';
import { startStubNode, type StubNode } from './stub-node.js';
import { startVerifier, type VerifierUnderTest } from './verifier-under-test.js';

const NAMES = [
  ['verified', 'confidential', 'integrity-only', 'content-changed', 'signature-broken', 'envelope-broken'],
  ['unknown-protocol', 'unknown-key', 'project', 'project-broken', 'not-found', 'unreachable'],
  ['home', 'how-it-works', 'keys', 'log', 'log-proof', 'execution', 'no-such-page'],
].flat();

describeInChromium('every page and state in a real Chromium', (chromium) => {
  let node: StubNode;
  let verifier: VerifierUnderTest;
  let states: PageState[];

  beforeAll(async () => {
    node = await startStubNode();
    states = await publishEveryState(node);
    verifier = await startVerifier({ nodeUrl: node.url, logPolicy: logPolicy() });
    await chromium.start();
  });

  afterAll(async () => {
    await chromium.stop();
    await verifier.close();
    await node.close();
  });

  it('has a case for each state', () => {
    expect(states.map(({ name }) => name)).toEqual(NAMES);
  });

  it.each(NAMES)('%s: checked, accessible in light, dark and on a phone', async (name) => {
    const state = states.find((candidate) => candidate.name === name);
    if (state === undefined) throw new Error('no such state');
    const watched = await chromium.open();
    const { page } = watched;
    await page.goto(`${verifier.url}${state.path}`);
    if (state.verdict !== null) {
      await page.waitForSelector(`[data-checked-by="browser"][data-verdict="${state.verdict}"]`);
      expect(await watched.attribute('[data-verdict]', 'data-tone')).toBe(state.tone);
    }
    if (name === 'home') await page.waitForSelector('#artefact-file');
    await auditPage(watched.page, name);
    expect(
      watched.complaints.filter((complaint) => !/status of (?:404|503)|ERR_EMPTY_RESPONSE/.test(complaint)),
    ).toEqual([]);
    const strangers = watched.requests.filter((url) => !url.startsWith(verifier.url) && !url.startsWith(node.url));
    expect(strangers).toEqual([]);
    await watched.close();
  });
});
