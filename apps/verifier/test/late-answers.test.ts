import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { TEST_NODE_ID, TEST_SIGNER } from '@cer/cer-core/testing';
import { testKeySet, testSigner } from '@cer/keys/testing';
import { describeInChromium, type WatchedPage } from './chromium.js';
import { Files } from './files.js';
import { END_TIMERS, HOLD_READS, HOLD_TIMERS, holdAnswersTo } from './held-answers.js';
import { nodeHistory } from './key-history.js';
import { logPolicy } from './logged.js';
import { plain } from './records.js';
import { KEY_SET_PATH, startStubNode, type StubNode } from './stub-node.js';
import { rootPem } from './root-pem.js';
import { startVerifier, type VerifierUnderTest } from './verifier-under-test.js';

// Answers that arrive after the visitor has done something else.

const ITS_KEYS = testKeySet({ nodeId: TEST_NODE_ID, signers: [{ signer: TEST_SIGNER }] });
const OTHER_KEYS = testKeySet({ nodeId: 'other.example', signers: [{ signer: testSigner('other') }] });

describeInChromium('a late answer', (chromium) => {
  const files = new Files();
  let node: StubNode;
  let verifier: VerifierUnderTest;
  let watched: WatchedPage;
  /** The browser's question for the node's keys, which a test answers. */
  let asked: Promise<ServerResponse>;

  beforeAll(async () => {
    node = await startStubNode();
    verifier = await startVerifier({ nodeUrl: node.url });
    await chromium.start();
  });

  afterEach(() => watched.close());

  afterAll(async () => {
    files.remove();
    await chromium.stop();
    await verifier.close();
    await node.close();
  });

  async function open(): Promise<void> {
    asked = new Promise((resolve) => {
      node.answers.set(KEY_SET_PATH, resolve);
    });
    watched = await chromium.open();
    await watched.page.evaluateOnNewDocument(`${countAnswers}${HOLD_TIMERS}`);
    await watched.page.goto(verifier.url);
    await watched.page.waitForSelector('#artefact-file');
  }

  async function confirmKeys(keys: unknown): Promise<void> {
    await watched.upload('#key-set-file', files.write('keys.json', keys));
    await watched.page.waitForSelector('#confirm-keys');
    await watched.page.click('#confirm-keys');
    await watched.page.waitForSelector('[data-key-state="confirmed"]');
  }

  async function codeOf(record: unknown): Promise<string | null> {
    await watched.page.$$eval('.drop-zone .row button', (buttons) => {
      buttons[1]?.click();
    });
    await watched.page.waitForFunction(`document.querySelector('.result') === null`);
    await watched.upload('#artefact-file', files.write('record.json', record));
    await watched.page.waitForSelector('.result');
    return watched.attribute('.result', 'data-code');
  }

  it('of the node does not replace the keys that were confirmed', async () => {
    await open();
    await confirmKeys(OTHER_KEYS);
    const record = await plain();
    expect(await codeOf(record)).toBe('ATTESTATION_KEY_NOT_FOUND');
    const arrived = watched.page.waitForResponse((response) => response.url().endsWith(KEY_SET_PATH));
    (await asked).end(JSON.stringify(ITS_KEYS));
    await (await arrived).text();
    expect(await codeOf(record)).toBe('ATTESTATION_KEY_NOT_FOUND');
    expect(await watched.attribute('[data-key-state]', 'data-key-state')).toBe('confirmed');
  });

  it('of the node does not remove the keys that were confirmed', async () => {
    await open();
    await confirmKeys(ITS_KEYS);
    const record = await plain();
    expect(await codeOf(record)).toBe('OK');
    const failed = new Promise((resolve) => watched.page.once('requestfailed', resolve));
    (await asked).destroy();
    await failed;
    expect(await codeOf(record)).toBe('OK');
  });

  it('of the node is given up, and a file takes its place', async () => {
    await open();
    (await asked).write('{');
    await watched.page.evaluate(END_TIMERS);
    await watched.page.waitForFunction(
      `document.querySelector('[data-key-state]').textContent.includes('nothing of the key set. Load this page again')`,
    );
    await confirmKeys(ITS_KEYS);
    expect(await codeOf(await plain())).toBe('OK');
    (await asked).destroy();
  });

  it.each([
    ['authorities', 'roots', '#tsa-roots-file', '.key-panel:has(#tsa-roots-file)', rootPem],
    ['a log policy', 'policy', '#log-policy-file', '.key-panel:has(#log-policy-file)', () => logPolicy().text],
  ])('about an earlier file of %s does not replace that of a later one', async (_, task, input, panel, good) => {
    watched = await chromium.open();
    await watched.page.evaluateOnNewDocument(holdAnswersTo(task));
    await watched.page.goto(`${verifier.url}/offline.html`);
    const shown = (): Promise<string> => watched.text(`${panel} [aria-live]`);
    const none = await shown();
    await watched.upload(input, files.write('good.txt', good()));
    await watched.page.waitForFunction('held.length === 1');
    await watched.upload(input, files.write('bad.txt', 'neither'));
    await watched.page.waitForFunction('held.length === 2');
    await watched.page.evaluate('held[1]()');
    await watched.page.waitForFunction(
      (selector, text) => document.querySelector(selector)?.textContent !== text,
      {},
      `${panel} [aria-live]`,
      none,
    );
    const refused = await shown();
    await watched.page.evaluate('held[0]()');
    expect(await shown()).toBe(refused);
  });

  it('about a file that is read slowly leaves no verdict of another one', async () => {
    await open();
    (await asked).end(JSON.stringify(ITS_KEYS));
    expect(await codeOf(await plain())).not.toBeNull();
    await watched.page.evaluate(HOLD_READS);
    await watched.upload('#artefact-file', files.write('slow.json', '{}'));
    await watched.page.waitForFunction(`held.length === 1 && document.querySelector('.result') === null`);
    await watched.page.evaluate('held[0]()');
    await watched.page.waitForSelector('.result');
    expect(await watched.text('.result .checked-by')).toContain('slow.json');
  });

  it('about pasted text is not shown beside other text', async () => {
    await open();
    (await asked).end(JSON.stringify(ITS_KEYS));
    await watched.page.type('#artefact-text', '{}');
    await watched.page.click('#artefact-check');
    await watched.page.waitForSelector('.result');
    await watched.page.type('#artefact-text', ' ');
    await watched.page.waitForFunction(`document.querySelector('.result') === null`);
    // The verdict of a file names it, and stays.
    await watched.upload('#artefact-file', files.write('named.json', '{}'));
    await watched.page.waitForSelector('.result');
    await watched.page.type('#artefact-text', ' ');
    expect(await watched.text('.result .checked-by')).toContain('named.json');
  });

  it('about a root does not confirm a history that was loaded again', async () => {
    await open();
    (await asked).end(JSON.stringify(ITS_KEYS));
    const history = files.write('history.json', await nodeHistory().signed());
    await watched.upload('#key-set-file', history);
    await (await watched.page.waitForSelector('input[name="confirm-root"]'))?.click();
    await watched.page.waitForSelector('[data-key-state="confirmed"]');
    await watched.upload('#key-set-file', history);
    await watched.page.waitForSelector('[data-key-state="unconfirmed"]');
    expect(await watched.attribute('.history-pin', 'data-pin-state')).toBe('unconfirmed');
    expect(await watched.page.$('.key-panel .outcome.good')).toBeNull();
  });

  it('about a changed member is not shown for another member', async () => {
    await open();
    (await asked).end(JSON.stringify(ITS_KEYS));
    await watched.page.waitForFunction('document.body.textContent.includes("The key set of this site")');
    expect(await codeOf(await plain())).toBe('OK');
    await watched.page.$eval('#tamper-tool', (details) => {
      details.setAttribute('open', '');
    });
    await watched.page.waitForFunction(`document.querySelector('#tamper-path').options.length > 5`);
    // Those to the earlier questions are not taken for the one that follows.
    await watched.page.waitForFunction('answers === questions');
    // In one go, so that no answer arrives in between.
    await watched.page.evaluate(`
      document.querySelector('#tamper-run').click();
      document.querySelector('#tamper-path').value = 'meta.attestation.signature';
      document.querySelector('#tamper-path').dispatchEvent(new Event('change', { bubbles: true }));
    `);
    await watched.page.waitForFunction('answers === questions');
    expect(await watched.page.$('[data-tampered]')).toBeNull();
  });
});

/** Counts the questions to the page's worker, and its answers that the page has shown, or not. */
const countAnswers = `
  let questions = 0;
  let answers = 0;
  window.Worker = class extends Worker {
    constructor(...rest) {
      super(...rest);
      this.addEventListener('message', ({ data }) => {
        if (data.state === 'done') requestAnimationFrame(() => requestAnimationFrame(() => { answers += 1; }));
      });
    }
    postMessage(...rest) {
      questions += 1;
      super.postMessage(...rest);
    }
  };
`;
