import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { auditPage } from '@cer/test-browser';
import { describeInChromium } from './chromium.js';
import { nodeHistory } from './key-history.js';
import { publishEveryState, type PageState } from './states.js';
import { KEY_HISTORY_PATH, startStubNode, type StubNode } from './stub-node.js';
import { startVerifier, type VerifierUnderTest } from './verifier-under-test.js';

// Every page in a browser with scripts disabled.

const RECORDS = ['verified', 'content-changed', 'project', 'project-broken', 'not-found', 'unreachable'];
const OTHERS = ['home', 'how-it-works', 'keys', 'execution', 'no-such-page'];

describeInChromium('without scripts', (chromium) => {
  let node: StubNode;
  let verifier: VerifierUnderTest;
  let states: PageState[];

  beforeAll(async () => {
    node = await startStubNode();
    states = await publishEveryState(node);
    node.answers.set(KEY_HISTORY_PATH, { status: 200, body: await nodeHistory().signed() });
    verifier = await startVerifier({ nodeUrl: node.url });
    await chromium.start();
  });

  afterAll(async () => {
    await chromium.stop();
    await verifier.close();
    await node.close();
  });

  it.each([...RECORDS, ...OTHERS])('%s: what the server found, accessible, without dead controls', async (name) => {
    const state = states.find((candidate) => candidate.name === name);
    if (state === undefined) throw new Error('no such state');
    const watched = await chromium.open({ scripts: false });
    const { page } = watched;
    await page.goto(`${verifier.url}${state.path}`);
    if (state.verdict !== null) {
      expect(await watched.attribute('[data-verdict]', 'data-verdict')).toBe(state.verdict);
      expect(await watched.attribute('[data-verdict]', 'data-checked-by')).toBe('server');
      expect(await watched.text('#verdict')).toContain('Your browser has not checked anything');
    }
    if (name === 'keys') expect(await watched.attribute('[data-history]', 'data-checked-by')).toBe('server');
    if (name === 'home') expect(await watched.text('#tools')).toContain('needs JavaScript');
    expect(
      await page.$$eval('button:not([type="submit"])', (buttons) =>
        buttons.filter((button) => button.checkVisibility()).map((button) => button.outerHTML),
      ),
    ).toEqual([]);
    await auditPage(page, name);
    expect(watched.complaints.filter((complaint) => !/status of (?:404|503)/.test(complaint))).toEqual([]);
    expect(watched.requests.filter((url) => !url.startsWith(verifier.url))).toEqual([]);
    await watched.close();
  });

  it('offline file: says what it needs', async () => {
    const watched = await chromium.open({ scripts: false });
    await watched.page.goto(`${verifier.url}/offline.html`);
    expect(await watched.text('body')).toContain('The offline verifier needs JavaScript.');
    await auditPage(watched.page, 'offline');
    expect(watched.complaints).toEqual([]);
    await watched.close();
  });
});
