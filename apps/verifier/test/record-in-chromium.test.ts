import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { auditPage } from '@cer/test-browser';
import type { JsonObject } from '@cer/canonical-json';
import { testKeySet, testSigner } from '@cer/keys/testing';
import { TEST_NODE_ID } from '@cer/cer-core/testing';
import { describeInChromium } from './chromium.js';
import { dropOn } from './drops.js';
import { END_TIMERS, HOLD_TIMERS, holdAnswersTo } from './held-answers.js';
import { longProject } from './long-project.js';
import { changed, hashOf, lookupAnswer, plain, project, projectHashOf } from './records.js';
import { certificatePath, KEY_SET_PATH, projectPath, startStubNode, type StubNode } from './stub-node.js';
import { startVerifier, type VerifierUnderTest } from './verifier-under-test.js';

// The browser's own check against the server's: the verdict is green only where both found the same.

describeInChromium('the check in the browser', (chromium) => {
  let serverNode: StubNode;
  let browserNode: StubNode;
  let verifier: VerifierUnderTest;
  let record: JsonObject;
  let path: string;

  beforeAll(async () => {
    [serverNode, browserNode] = await Promise.all([startStubNode(), startStubNode()]);
    verifier = await startVerifier({ nodeUrl: serverNode.url, publicNodeUrl: browserNode.url });
    record = await plain();
    path = `/c/${encodeURIComponent(hashOf(record))}`;
    await chromium.start();
  });

  afterAll(async () => {
    await chromium.stop();
    await Promise.all([verifier.close(), serverNode.close(), browserNode.close()]);
  });

  function answer(node: StubNode, body: JsonObject): void {
    node.answers.set(certificatePath(hashOf(record)), { status: 200, body });
  }

  it('is green where server and browser agree', async () => {
    answer(serverNode, lookupAnswer(record));
    answer(browserNode, lookupAnswer(record));
    const watched = await chromium.open();
    await watched.page.goto(`${verifier.url}${path}`);
    await watched.page.waitForSelector('[data-checked-by="browser"][data-verdict="VERIFIED"][data-tone="good"]');
    expect(await watched.text('#verdict')).toMatch(/Our server found: Verified.*Your browser found: Verified/);
    expect(browserNode.requests).toEqual(expect.arrayContaining([certificatePath(hashOf(record)), KEY_SET_PATH]));
    // Second visit: the browser has the page cached and gets 304.
    await watched.page.goto(`${verifier.url}/`);
    await watched.page.goto(`${verifier.url}${path}`);
    await watched.page.waitForSelector('[data-checked-by="browser"][data-verdict="VERIFIED"][data-tone="good"]');
    expect(watched.complaints).toEqual([]);
    await watched.close();
  });

  it('shows nothing as verified while it runs, and the title follows it', async () => {
    answer(serverNode, lookupAnswer(record));
    answer(browserNode, lookupAnswer(changed(record, ['snapshot', 'model'], 'another')));
    const watched = await chromium.open();
    await watched.page.evaluateOnNewDocument(holdAnswersTo('check'));
    await watched.page.goto(`${verifier.url}${path}`);
    await watched.page.waitForFunction('held.length === 1');
    expect(await watched.page.title()).toContain('Checking in your browser');
    expect(await watched.page.$('#details.unconfirmed [data-status="PASS"]')).not.toBeNull();
    await watched.page.evaluate('held[0]()');
    await watched.verdict('DISAGREEMENT');
    expect(await watched.page.title()).toContain('Server and browser disagree');
    await watched.close();
  });

  it.each([
    ['shows the server a good record and the browser a changed one', true, false],
    ['shows the browser a good record and the server a changed one', false, true],
  ])('is never green for a node that %s', async (_name, isServerGood, isBrowserGood) => {
    const lie = lookupAnswer(changed(record, ['snapshot', 'model'], 'another'));
    answer(serverNode, isServerGood ? lookupAnswer(record) : lie);
    answer(browserNode, isBrowserGood ? lookupAnswer(record) : lie);
    const watched = await chromium.open();
    await watched.page.goto(`${verifier.url}${path}`);
    await watched.verdict('DISAGREEMENT');
    expect(await watched.attribute('[data-verdict]', 'data-tone')).toBe('bad');
    expect(await watched.text('#verdict')).toContain('Server and browser disagree');
    await auditPage(watched.page, 'disagreement');
    await watched.close();
  });

  it('is never green where both verify but under different keys', async () => {
    answer(serverNode, lookupAnswer(record));
    answer(browserNode, lookupAnswer(record));
    const own = browserNode.answers.get(KEY_SET_PATH);
    const body = testKeySet({ nodeId: TEST_NODE_ID, signers: [{ signer: testSigner('somebody else') }] });
    browserNode.answers.set(KEY_SET_PATH, { status: 200, body });
    const watched = await chromium.open();
    await watched.page.goto(`${verifier.url}${path}`);
    await watched.verdict('DISAGREEMENT');
    if (own !== undefined) browserNode.answers.set(KEY_SET_PATH, own);
    await watched.close();
  });

  it.each([
    ['the node does not answer the browser', 'hang-up' as const, 'UNCHECKED'],
    ['the node answers the browser with a fault', { status: 500, body: {} }, 'UNCHECKED'],
    ['the record is hidden from the browser', { status: 404, body: {} }, 'DISAGREEMENT'],
  ])('is never green where %s', async (_name, lie, verdict) => {
    answer(serverNode, lookupAnswer(record));
    browserNode.answers.set(certificatePath(hashOf(record)), lie);
    const watched = await chromium.open();
    await watched.page.goto(`${verifier.url}${path}`);
    await watched.verdict(verdict);
    expect(await watched.page.$('[data-tone="good"]')).toBeNull();
    await watched.close();
  });

  /** Opens a page, its long timers held, up to the browser's question for a route, which the caller answers. */
  async function openUnanswered(route: string, at = path) {
    const asked = new Promise<ServerResponse>((resolve) => browserNode.answers.set(route, resolve));
    const watched = await chromium.open();
    await watched.page.evaluateOnNewDocument(HOLD_TIMERS);
    await watched.page.goto(`${verifier.url}${at}`);
    return { watched, response: await asked };
  }

  it.each([
    ['the record', certificatePath, 'the record. '],
    ['the key set', () => KEY_SET_PATH, 'the key set. '],
  ])('says that the node stays silent about %s', async (_name, route, part) => {
    for (const node of [serverNode, browserNode]) answer(node, lookupAnswer(record));
    const at = route(hashOf(record));
    const usual = browserNode.answers.get(at) ?? 'hang-up';
    const { watched, response } = await openUnanswered(at);
    // The other question is answered.
    await watched.page.waitForFunction('timers.size === 1');
    expect(await watched.verdict('CHECKING')).toBe('CHECKING');
    await watched.page.evaluate(END_TIMERS);
    await watched.verdict('UNCHECKED');
    expect(await watched.text('#verdict')).toContain(
      `For 30 seconds the node sent your browser nothing of ${part}Load this page again to retry.`,
    );
    expect(await watched.text('#verdict')).toContain('Our server found: Verified');
    expect(await watched.page.$('#details.unconfirmed [data-status="PASS"]')).not.toBeNull();
    await auditPage(watched.page, 'silent-node');
    await watched.close();
    response.destroy();
    browserNode.answers.set(at, usual);
  });

  it('waits for an answer while its bytes arrive', async () => {
    answer(serverNode, lookupAnswer(record));
    const at = certificatePath(hashOf(record));
    const { watched, response } = await openUnanswered(at);
    await watched.page.waitForFunction('timers.size === 1');
    const first = await watched.page.evaluate('[...timers.keys()][0]');
    const text = JSON.stringify(lookupAnswer(record));
    response.write(text.slice(0, 100));
    // They set the time again.
    await watched.page.waitForFunction(`timers.size === 1 && !timers.has(${String(first)})`);
    response.end(text.slice(100));
    await watched.verdict('VERIFIED');
    expect(await watched.page.evaluate('timers.size')).toBe(0);
    await watched.close();
  });

  it.each(['cannot be loaded', 'never arrives'])('is never green where the worker %s', async (fault) => {
    answer(serverNode, lookupAnswer(record));
    answer(browserNode, lookupAnswer(record));
    const watched = await chromium.open();
    await watched.page.evaluateOnNewDocument(HOLD_TIMERS);
    await watched.page.setRequestInterception(true);
    const asked = new Promise<void>((resolve) => {
      watched.page.on('request', (request) => {
        if (!request.url().includes('check-worker')) void request.continue();
        else {
          if (fault === 'cannot be loaded') void request.abort();
          resolve();
        }
      });
    });
    await watched.page.goto(`${verifier.url}${path}`);
    await asked;
    await watched.page.evaluate(END_TIMERS);
    await watched.verdict('UNCHECKED');
    expect(await watched.text('#verdict')).toContain('could not run the check. Load this page again to retry.');
    expect(await watched.page.$('[data-tone="good"]')).toBeNull();
    expect(await watched.page.$('#details.unconfirmed [data-status="PASS"]')).not.toBeNull();
    await auditPage(watched.page, 'unchecked');
    await watched.close();
  });

  it('rechecks a project of ten thousand steps with progress', async () => {
    const bundle = await longProject(10_000);
    for (const node of [serverNode, browserNode]) {
      node.answers.set(projectPath(projectHashOf(bundle)), { status: 200, body: { ok: true, ...bundle } });
    }
    const watched = await chromium.open();
    await watched.page.evaluateOnNewDocument(`
      globalThis.seen = new Set();
      new MutationObserver(() => {
        const bar = document.querySelector('#verdict progress');
        if (bar !== null) seen.add(bar.value);
      }).observe(document, { subtree: true, childList: true, attributes: true });
    `);
    await watched.page.goto(`${verifier.url}/p/${encodeURIComponent(projectHashOf(bundle))}`);
    // Its steps are sealed only: unsigned steps leave a registration verified but incomplete.
    await watched.page.waitForSelector('[data-checked-by="browser"][data-verdict="VERIFIED"][data-tone="neutral"]');
    expect(await watched.page.evaluate('seen.size')).toBeGreaterThan(5);
    expect(await watched.text('[data-steps-shown]')).toContain('1–100 of 10000');
    await auditPage(watched.page, 'project-page-of-10000');
    expect(watched.complaints).toEqual([]);
    await watched.close();
    // Sealing the steps alone takes seconds on a busy machine.
  }, 300_000);

  it('shows a page to a rate-limited visitor', async () => {
    const limited = await startVerifier({ nodeUrl: serverNode.url, rateLimitPerMinute: 1 });
    const watched = await chromium.open();
    await watched.page.goto(`${limited.url}/how-it-works`);
    const answer = await watched.page.goto(`${limited.url}/`);
    expect([answer?.status(), Number(answer?.headers()['retry-after']) > 0]).toEqual([429, true]);
    expect(await watched.text()).toContain('Load the page again in');
    await auditPage(watched.page, 'rate-limited');
    await watched.close();
    await limited.close();
  });

  it('is operable by keyboard in the expected order', async () => {
    answer(serverNode, lookupAnswer(record));
    answer(browserNode, lookupAnswer(record));
    const watched = await chromium.open();
    await watched.page.goto(`${verifier.url}${path}`);
    await watched.page.waitForSelector('[data-checked-by="browser"]');
    await watched.page.keyboard.press('Tab');
    expect(await watched.page.evaluate('document.activeElement.textContent')).toBe('Skip to content');
    await watched.page.keyboard.press('Enter');
    // The browser follows the link some time after the key.
    await watched.page.waitForFunction(`location.hash === '#main'`);
    await watched.page.keyboard.press('Tab');
    expect(await watched.page.evaluate('document.querySelector("main").contains(document.activeElement)')).toBe(true);
    await watched.close();
  });

  it('takes a file dropped anywhere once its zone is open', async () => {
    for (const node of [serverNode, browserNode]) answer(node, lookupAnswer(record));
    const watched = await chromium.open();
    await watched.page.goto(`${verifier.url}${path}`);
    await watched.page.waitForSelector('#compare-tool');
    const file = `transfer.items.add(new File(['{}'], 'dropped.json'));`;
    expect(await watched.page.evaluate(dropOn('h1', file))).toEqual({ prevented: [true, true], reads: 0 });
    await watched.page.click('#compare-tool summary');
    await watched.page.waitForSelector('#compare-tool[open]');
    expect(await watched.page.evaluate(dropOn('h1', file))).toEqual({ prevented: [true, true], reads: 1 });
    await watched.close();
  });

  describe('replaces what the server rendered, and', () => {
    const OPEN = '#details details.evidence[open]';

    /** Opens a page, focuses an element of it while the node has not answered, and then has the node answer. */
    async function focusBeforeAnswer(at: string, route: string, selector: string, body: JsonObject | null) {
      const { watched, response } = await openUnanswered(route, at);
      await watched.page.focus('#details summary');
      await watched.page.keyboard.press('Enter');
      await watched.page.waitForSelector(OPEN);
      await watched.page.focus(selector);
      await watched.page.evaluate('globalThis.focused = document.activeElement');
      if (body === null) response.statusCode = 404;
      response.end(JSON.stringify(body));
      await watched.page.waitForSelector('[data-checked-by="browser"]');
      expect(await watched.page.evaluate('focused.isConnected')).toBe(false);
      return watched;
    }

    it.each(['summary', '#hash-command', 'button[data-copy="receipt"]'])('keeps the focus on %s', async (selector) => {
      answer(serverNode, lookupAnswer(record));
      const route = certificatePath(hashOf(record));
      const watched = await focusBeforeAnswer(path, route, `#details ${selector}`, lookupAnswer(record));
      expect(await watched.page.evaluate('document.activeElement.outerHTML === focused.outerHTML')).toBe(true);
      expect(await watched.page.$(OPEN)).not.toBeNull();
      await watched.close();
    });

    it('announces what a copy came to', async () => {
      answer(serverNode, lookupAnswer(record));
      const copy = '#details button[data-copy="receipt"]';
      const watched = await focusBeforeAnswer(path, certificatePath(hashOf(record)), copy, lookupAnswer(record));
      // Both texts return after two seconds: they are read together, as soon as they change.
      const announced = watched.page.waitForFunction(
        `(({ role, textContent }) => role === 'status' && textContent !== '' &&
          textContent === document.querySelector('${copy}').textContent)(document.querySelector('#announced'))`,
        { polling: 'mutation' },
      );
      await watched.page.keyboard.press('Enter');
      await announced;
      await watched.close();
    });

    it('keeps the focus on the link to a step', async () => {
      const bundle = await project(3);
      const [hash, body] = [projectHashOf(bundle), { ok: true, ...bundle }];
      serverNode.answers.set(projectPath(hash), { status: 200, body });
      const link = '#details table tr:nth-child(2) a';
      const watched = await focusBeforeAnswer(`/p/${encodeURIComponent(hash)}`, projectPath(hash), link, body);
      expect(await watched.page.$eval(link, (node) => node === document.activeElement)).toBe(true);
      await watched.close();
    });

    it('keeps the place of the focus where it removes all', async () => {
      answer(serverNode, lookupAnswer(record));
      const watched = await focusBeforeAnswer(path, certificatePath(hashOf(record)), '#details summary', null);
      expect(await watched.page.evaluate('document.activeElement.id')).toBe('details');
      await watched.close();
    });
  });

  it('prints one report without tools and navigation', async () => {
    for (const node of [serverNode, browserNode]) answer(node, lookupAnswer(record));
    const watched = await chromium.open();
    await watched.page.goto(`${verifier.url}${path}`);
    await watched.page.waitForSelector('[data-checked-by="browser"]');
    await watched.page.emulateMediaType('print');
    const shown = await watched.page.evaluate(
      `['.verdict', '.layers', '.facts', '.qr', 'nav', '.evidence', '#record-tools', 'button.copy', '.share details'].filter((selector) => document.querySelector(selector)?.checkVisibility())`,
    );
    expect(shown).toEqual(['.verdict', '.layers', '.facts', '.qr']);
    const pdf = Buffer.from(await watched.page.pdf({ format: 'A4' })).toString('latin1');
    expect(pdf.match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
    await watched.close();
  });
});
