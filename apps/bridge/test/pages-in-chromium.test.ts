import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { parseKeySet } from '@cer/keys';
import {
  describeInChromium,
  launchChromium,
  auditPage,
  newPage,
  type Browser,
  type BrowserContext,
  type Page,
} from '@cer/test-browser';
import { unavailable } from '@cer/http-service';
import type { Ingest } from '../src/store/index.js';
import {
  handoffToken,
  startStubControlPlane,
  type StubControlPlane,
  type StubTenant,
  type StubUser,
} from './stub-control-plane.js';
import { startTestBridge, type TestBridge } from './test-bridge.js';

/** Each page is checked three times by all of axe's rules, possibly on a busy machine. */
jest.setTimeout(300_000);

const CERTIFICATE = `sha256:${'3f1b'.repeat(16)}`;
const PROJECT = `sha256:${'9c0d'.repeat(16)}`;
const SENT = `sha256:${'77aa'.repeat(16)}`;
const SPAN = 'otel:0af7651916cd43dd8448eb211c80319c:b7ad6b7169203331';

const CERTIFIED: Ingest = {
  at: '2026-01-02T03:04:05.678Z',
  source: 'otlp',
  outcome: 'certified',
  status: 200,
  executionId: SPAN,
  provider: 'openai',
  model: 'gpt-4o-2024-08-06',
  certificateHash: CERTIFICATE,
  submittedHash: null,
  verificationUrl: `https://verify.example/c/${encodeURIComponent(CERTIFICATE)}`,
  reason: null,
};
const REFUSED: Ingest = { ...CERTIFIED, outcome: 'refused', certificateHash: null, verificationUrl: null };

/** One row of every kind. */
const INGESTS: readonly Ingest[] = [
  CERTIFIED,
  { ...CERTIFIED, source: 'executions', executionId: 'order-1', provider: 'p'.repeat(256), model: 'm'.repeat(256) },
  { ...CERTIFIED, executionId: null, provider: null, model: null, verificationUrl: '' },
  {
    ...CERTIFIED,
    executionId: 'otel:0af7651916cd43dd8448eb211c80319c',
    provider: null,
    model: 'trace of 12 calls',
    certificateHash: PROJECT,
    verificationUrl: `https://verify.example/p/${encodeURIComponent(PROJECT)}`,
  },
  {
    ...REFUSED,
    status: 409,
    certificateHash: CERTIFICATE,
    submittedHash: SENT,
    reason: 'EXECUTION_MUTATION_DETECTED: executionId: identifies other content already',
  },
  { ...REFUSED, status: 400, reason: 'the span holds no output: record content, or send with ?content=optional' },
  { ...REFUSED, source: 'executions', status: 429, reason: 'The executions of this month are used up' },
  { ...REFUSED, status: 503, reason: 'The attestation node cannot be reached now: retry' },
];

describeInChromium('every page, in both modes and on phones', () => {
  let controlPlane: StubControlPlane;
  let bridge: TestBridge;
  let tenant: StubTenant;
  let user: StubUser;
  let browser: Browser;
  let page: Page;
  let nodeIsGone = false;
  const complaints: string[] = [];

  beforeAll(async () => {
    controlPlane = await startStubControlPlane();
    const keySet = parseKeySet({ nodeId: 'node-of-the-tests', keys: [] });
    bridge = await startTestBridge({
      nodeUrl: 'http://127.0.0.1:9',
      controlPlaneUrl: controlPlane.url,
      replace: () => ({
        nodeKeys: {
          keySetWith: async () => {
            if (nodeIsGone) throw unavailable('gone');
            return keySet;
          },
        },
      }),
    });
    tenant = controlPlane.newTenant();
    user = controlPlane.newUser(tenant);
    browser = await launchChromium();
    page = await newPage(browser);
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('console', (message) => {
      // Chromium reports the status of refusals that are pages.
      if (!/status of (?:4\d\d|503)|ERR_FAILED/.test(message.text())) complaints.push(message.text());
    });
  });

  afterAll(async () => {
    await browser.close();
    await bridge.close();
    await controlPlane.close();
  });

  const token = (of = tenant, { id } = user, audience = new URL(bridge.url).host): string =>
    handoffToken(controlPlane, { tenantId: of.tenantId, userId: id, audience });
  /** Like the dashboard: loads the page with the token in the fragment. */
  const arrive = async (handoff: string): Promise<void> => {
    await page.goto('about:blank');
    await page.goto(`${bridge.url}/#handoff=${handoff}`);
  };
  const shown = (message: string): Promise<unknown> =>
    page.waitForSelector(`[data-handoff="${message}"]:not([hidden])`);
  const heading = (): Promise<string> => page.$eval('[data-page] h1', (element) => element.textContent);

  it('without a session', async () => {
    await page.goto(bridge.url);
    expect(await heading()).toBe('Not connected');
    await auditPage(page, 'not-connected');
  });

  it('of a link: pending, unusable, and without entitlement', async () => {
    await page.setRequestInterception(true);
    let isHeld = true;
    page.on('request', (request) => {
      if (isHeld && request.url().endsWith('/handoff')) return;
      void request.continue();
    });
    await arrive(token());
    await shown('connecting');
    await auditPage(page, 'connecting');
    isHeld = false;
    await arrive('no.such.token');
    await shown('refused');
    await auditPage(page, 'refused-link');
    const without = controlPlane.newTenant({ bridge: false });
    await arrive(token(without, controlPlane.newUser(without)));
    await shown('not-included');
    await auditPage(page, 'not-included');
    controlPlane.isDown = true;
    await arrive(token());
    await shown('unreachable');
    await auditPage(page, 'unreachable');
    controlPlane.isDown = false;
    await page.click('[data-act="retry"]');
    await page.waitForSelector('[data-act="sign-out"]');
    expect(await heading()).toBe('Live evidence');
  });

  it('of the evidence: empty, and every kind', async () => {
    await page.waitForFunction(() => document.querySelector('#live-state')?.textContent.includes('by themselves'));
    await auditPage(page, 'live-empty');
    await bridge.store.ingests.record(tenant.tenantId, INGESTS, { certified: 12_345, refused: 4 });
    await page.waitForFunction(() => document.querySelectorAll('#live li.evidence').length === 8);
    await auditPage(page, 'live');
    nodeIsGone = true;
    await page.reload();
    await auditPage(page, 'live-node-gone');
    nodeIsGone = false;
  });

  it('of the evidence: what arrived beside a focused link is shown after it', async () => {
    const own = await newPage(browser);
    await own.evaluateOnNewDocument(`
      const arrived = [];
      window.EventSource = class extends EventSource {
        addEventListener(type, listen) {
          super.addEventListener(type, (event) => {
            listen(event);
            arrived.push(String(event.data));
          });
        }
      };
    `);
    await own.goto(bridge.url);
    await own.waitForFunction(`arrived.some((data) => data.includes('order-1'))`);
    await own.focus('#live a');
    const late = { ...CERTIFIED, executionId: 'order-late' };
    await bridge.store.ingests.record(tenant.tenantId, [late], { certified: 1, refused: 0 });
    await own.waitForFunction(`arrived.some((data) => data.includes('order-late'))`);
    expect(await own.evaluate('document.activeElement.matches("#live a")')).toBe(true);
    await own.evaluate('document.activeElement.blur()');
    expect(await own.$eval('#live', (element) => element.textContent)).toContain('order-late');
    await own.close();
  });

  /** The page of the evidence in its own browser context, its stream interrupted. */
  const interrupted = async (): Promise<{ context: BrowserContext; own: Page; resume: () => void }> => {
    const context = await browser.createBrowserContext();
    const own = await newPage(context);
    await own.goto(`${bridge.url}/#handoff=${token()}`);
    await own.waitForSelector('[data-act="sign-out"]');
    await own.setRequestInterception(true);
    let isCut = true;
    own.on('request', (request) => {
      void (isCut && request.url().endsWith('/events') ? request.abort() : request.continue());
    });
    await own.reload();
    await own.waitForFunction(() => document.querySelector('#live-state')?.textContent.includes('interrupted'));
    return { context, own, resume: () => (isCut = false) };
  };

  it('of the evidence: not after a session that ended while interrupted', async () => {
    const { context, own, resume } = await interrupted();
    await context.deleteCookie(...(await context.cookies()));
    resume();
    await own.waitForFunction(
      () => document.querySelector('#live') === null && document.body.textContent.includes('Not connected'),
    );
    await context.close();
  });

  it('of the evidence: of another account only below its own header', async () => {
    const other = controlPlane.newTenant();
    const otherUser = controlPlane.newUser(other);
    const ingest = { ...CERTIFIED, executionId: 'order-of-another' };
    await bridge.store.ingests.record(other.tenantId, [ingest], { certified: 1, refused: 0 });
    const { context, own, resume } = await interrupted();
    const handoff = { token: token(other, otherUser), replace: true };
    const status = await own.evaluate(async (body) => {
      const headers = { 'content-type': 'application/json' };
      return (await fetch('/api/v1/auth/handoff', { method: 'POST', headers, body })).status;
    }, JSON.stringify(handoff));
    expect(status).toBe(200);
    resume();
    await own.waitForFunction(() => document.querySelector('#live')?.textContent.includes('order-of-another'));
    expect(await own.$eval('header', (element) => element.textContent)).toContain(otherUser.email);
    await context.close();
  });

  it('without scripts', async () => {
    await page.setJavaScriptEnabled(false);
    await page.reload();
    expect(await page.$eval('#live-state', (element) => element.textContent)).toContain('reload the page');
    await page.setJavaScriptEnabled(true);
  });

  it('of how to send data', async () => {
    await page.goto(`${bridge.url}/send`);
    expect(await heading()).toBe('Send data');
    await auditPage(page, 'send');
  });

  it('of how to send data: a copy is announced', async () => {
    const own = await newPage(browser);
    // The message stays until it was looked for.
    await own.evaluateOnNewDocument('window.setTimeout = () => 0');
    await own.goto(`${bridge.url}/send`);
    const announced = (): Promise<string[]> =>
      own.$$eval('aria/[role="status"]', (found) => found.map(({ textContent }) => textContent));
    for (const [write, said] of [
      ['async () => undefined', 'Copied'],
      ['async () => { throw new Error() }', 'Select the text and copy it'],
    ] as const) {
      expect(await announced()).not.toContain(said);
      await own.evaluate(`navigator.clipboard.writeText = ${write}`);
      await own.click('[data-copy="curl-snippet"]');
      await own.waitForFunction((text) => document.body.textContent.includes(text), {}, said);
      expect(await announced()).toContain(said);
    }
    await own.close();
  });

  it('that confirm ending another user’s session', async () => {
    await arrive(token(tenant, controlPlane.newUser(tenant)));
    await shown('conflict');
    await auditPage(page, 'conflict');
  });

  it('of errors', async () => {
    await page.goto(`${bridge.url}/no-such-page`);
    expect(await heading()).toBe('Not found');
    await auditPage(page, 'not-found');
    await bridge.store.close();
    await page.goto(bridge.url);
    expect(await heading()).toBe('This did not work');
    await auditPage(page, 'database-gone');
  });

  it('never violated the content security policy', () => {
    expect(complaints).toEqual([]);
  });
});
