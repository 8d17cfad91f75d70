import { randomUUID } from 'node:crypto';
import type { RequestListener, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { executionRequest } from '@cer/cer-core/testing';
import { certificates } from '@cer/client';
import { auditPage, describeInChromium, newPage, type Browser, type Page } from '@cer/test-browser';

import { ask, at, textAt } from './ask.js';
import { ADMIN_SECRET, passTo, startDashboardAndNode, type DashboardAndNode } from './dashboard-and-node.js';
import { startMain } from './node-process.js';

const BRIDGE = join(__dirname, '../../bridge/src/main.ts');

/** Pages are checked three times by all of axe's rules, possibly on a busy machine. */
jest.setTimeout(300_000);

describeInChromium('the records of an account in the dashboard', () => {
  let whole: DashboardAndNode;
  let node: DashboardAndNode['node'];
  let dashboard: DashboardAndNode['dashboard'];
  let front: { readonly url: string };
  let browser: Browser;
  let page: Page;
  let hashes: string[];
  let key: string;

  beforeAll(async () => {
    whole = await startDashboardAndNode();
    ({ node, dashboard, browser, page } = whole);
    front = { url: whole.url };
    await dashboard.command('tenant', 'create', '--name', 'Other');
    const otherKey = await dashboard.command('api-key', 'create', '--tenant', 'Other', '--scopes', 'certify');
    key = await dashboard.newKey();
    const certify = async (as: string, model: string, executionId: string): Promise<string> => {
      const body = executionRequest({ executionId, provider: 'example', model, appId: 'support-desk' });
      return textAt((await ask(node, 'post', '/v1/cer/ai/certify', { key: as, body })).body, 'certificateHash');
    };
    hashes = [];
    for (let run = 0; run < 60; run += 1)
      hashes.push(await certify(key, run % 3 === 0 ? 'large' : 'small', `run-${run}`));
    hashes.push(await certify(otherKey, 'large', `other-${randomUUID()}`));
  });

  afterAll(() => whole.close());

  const open = (path: string): Promise<unknown> => whole.open(path);
  const press = (selector: string): Promise<unknown> => whole.press(selector);
  const text = (selector?: string): Promise<string> => whole.text(selector);
  const download = (path: string): Promise<Response> => whole.download(path);
  const rows = (): Promise<number> => page.$$eval('main tbody tr', (found) => found.length);

  /** A bridge refuses executions before it asks the node, and reports them when it stops. */
  const refuseAtBridge = async (count: number): Promise<void> => {
    const bridgeKey = await dashboard.command('api-key', 'create', '--tenant', 'Acme', '--scopes', 'certify,ingest');
    const bridge = await startMain(BRIDGE, {
      ...dashboard.env,
      DATABASE_URL: `sqlite:${join(whole.folder, 'bridge.sqlite')}`,
      PUBLIC_URL: 'http://localhost:4300',
      NODE_URL: node.url,
    });
    const executions = Array.from({ length: count }, () => ({ executionId: 'otel:reserved' }));
    const answer = await fetch(`${bridge.url}/api/v1/ingest/executions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bridgeKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ executions }),
    });
    expect(answer.status).toBe(207);
    bridge.kill('SIGTERM');
    expect((await bridge.ended).code).toBe(0);
  };

  it('are listed in pages and found by filter and search', async () => {
    await open('/records');
    await auditPage(page, 'records');
    expect(await rows()).toBe(50);
    expect(await text('section[aria-labelledby=export]')).toContain(': 60 records.');
    await press('a[rel=next]');
    expect(await rows()).toBe(10);
    await open('/records?model=large&provider=example');
    await auditPage(page, 'records-filtered');
    expect(await rows()).toBe(20);
    expect(await text('section[aria-labelledby=export]')).toContain('20 records');
    await open('/records');
    await page.type('#search', 'run-7');
    await press('main form button');
    expect(await rows()).toBe(1);
    expect(await text('tbody')).toContain('run-7');
    await open(`/records?search=${(hashes[4] ?? '').slice('sha256:'.length)}`);
    expect(await text('tbody')).toContain('run-4');
    await open('/records?search=nothing-like-this');
    expect(await text()).toContain('No certificate of this account fits.');
  });

  it('are shown with the three checks, and downloaded', async () => {
    await open('/records?search=run-7');
    await press('tbody a');
    await auditPage(page, 'record');
    expect(await text('#verdict')).toBe('Verified');
    expect(await text('.layers')).toMatch(/Integrity\s+Pass.*Node receipt\s+Pass.*Verification envelope\s+Pass/s);
    const answer = await download(`/records/download/${hashes[7] ?? ''}`);
    expect(answer.headers.get('content-disposition')).toContain('attachment');
    expect(at(await answer.json(), 'certificateHash')).toBe(hashes[7]);
  });

  it('are exported as an audit package, which the activity names', async () => {
    const answer = await download('/records/export?model=large');
    expect(answer.headers.get('content-type')).toBe('application/zip');
    expect(
      Buffer.from(await answer.arrayBuffer())
        .subarray(0, 2)
        .toString(),
    ).toBe('PK');
    await open('/activity');
    expect(await text()).toContain('model=large');
  });

  it('show how far an export is, without a script', async () => {
    const passed = passTo(() => node.url);
    const held: ServerResponse[] = [];
    whole.interpose((asked, answer) => {
      if (asked.url?.startsWith('/v1/records/export') !== true) {
        passed(asked, answer);
        return;
      }
      answer.writeHead(200, { 'content-type': 'application/zip' }).write(Buffer.alloc(100_000));
      held.push(answer);
    });
    /** Begins an export in the browser, and downloads it as the browser would. */
    const begin = async (): Promise<Response> => {
      await open('/records?model=large');
      await press('a[href^="/records/exports"]');
      expect(await text()).toMatch(/Audit package of 20 records\s+The download has not begun\./);
      return download(await page.$eval('a[href*="follow="]', (link) => link.getAttribute('href') ?? ''));
    };
    const shows = async (sentence: string): Promise<void> => {
      while (!(await text()).includes(sentence)) {
        await sleep(100);
        await page.reload();
      }
    };
    /** Follows a link by its address: until then the page reloads itself, and a click may be lost. */
    const still = async (): Promise<unknown> =>
      open(await page.$eval('a[href*="still=1"]', (link) => link.getAttribute('href') ?? ''));
    const first = await begin();
    await auditPage(page, 'export-announced');
    const progress = page.waitForResponse((response) => response.url().includes('/records/exports/'));
    await press('a[href^="/records/exports/"]');
    expect((await progress).headers()['refresh']).toBe('3');
    await still();
    await shows('0.1 MB are sent');
    await auditPage(page, 'export-running');
    held.shift()?.end();
    expect((await first.arrayBuffer()).byteLength).toBe(100_000);
    await shows('Done: 0.1 MB were sent');
    const second = await begin();
    await press('a[href^="/records/exports/"]');
    await still();
    await second.body?.cancel();
    await shows('Broken off');
    await auditPage(page, 'export-broken');
    whole.interpose(null);
  });

  it("never include another account's", async () => {
    const foreign = hashes.at(-1) ?? '';
    await open(`/records?search=${foreign}`);
    expect(await text()).toContain('No certificate of this account fits.');
    for (const path of ['certificate', 'download']) {
      expect((await download(`/records/${path}/${foreign}`)).status).toBe(404);
    }
    expect((await fetch(`${front.url}/records/export`, { redirect: 'manual' })).status).toBe(303);
  });

  it("are counted beside refusals and producers' reports", async () => {
    const [first] = await Promise.all(
      ['a second output', 'a third output'].map((output) => {
        const body = executionRequest({ executionId: 'run-7', output, appId: 'support-desk' });
        return ask(node, 'post', '/v1/cer/ai/certify', { key, body });
      }),
    );
    expect(first?.status).toBe(409);
    const model = 'http://model.test/v1/chat/completions';
    const cer = certificates({
      ...{ appId: 'agent', nodeUrl: node.url, apiKey: key, spoolDir: null, coverage: {} },
      certify: ({ body }) => !JSON.stringify(body).includes('private'),
      fetch: async (input, init) =>
        input === model ? Response.json({ id: 'answer', choices: [] }) : fetch(input, init),
    });
    for (const content of ['one', 'two', 'private', 'private too']) {
      const body = JSON.stringify({ model: 'example-1', messages: [{ role: 'user', content }] });
      await (await cer.fetch()(model, { method: 'POST', body })).text();
    }
    await cer.close();
    await refuseAtBridge(3);
    await open('/coverage');
    await auditPage(page, 'coverage');
    const shown = (await text()).replaceAll(/\s+/g, ' ');
    expect(shown).toContain('Certified: 62 by the node');
    expect(shown).toContain('Refused: 2 by the node');
    expect(shown).toContain('Refused before the node: 3 by the evidence bridge');
    expect(shown).toContain('Skipped by choice: 2 by the producers');
    expect(shown).toContain('Programs counted 4 calls, 2 of them without a certificate.');
    expect(shown).toContain('EXECUTION_MUTATION_DETECTED 2');
    await press('main table a');
    await auditPage(page, 'coverage-application');
    expect(await rows()).toBe(1);
    const cells = await page.$$eval('main tbody td', (found) => found.map(({ textContent }) => textContent));
    expect(cells).toEqual(['agent', '2', '0', '0', '–', '0', '2', '0', '4', '–']);
    expect(await text()).toContain('This page shows one application, so these are not in it.');
    await open('/coverage?from=2026-01-01&to=2026-01-31');
    expect(await text()).toContain('Nothing was certified or refused in this time.');
    await auditPage(page, 'coverage-empty');
  });

  it('are kept as the operator of the node says, which the settings state', async () => {
    await open('/settings');
    expect(await text()).not.toContain('operator');
    const tenantId = await dashboard.command('tenant', 'create', '--name', 'Acme');
    const set = async (change: object): Promise<void> => {
      const asked = { headers: { 'x-admin-secret': ADMIN_SECRET }, body: change };
      expect((await ask(node, 'post', `/v1/admin/tenants/${tenantId}/settings`, asked)).status).toBe(200);
    };
    await set({ retentionDays: 30, legalHold: true, publish: { prompt: true, context: false, metadata: ['team'] } });
    await open('/settings');
    await auditPage(page, 'settings-operator');
    expect((await text('section[aria-labelledby=operator]')).replaceAll(/\s+/g, ' ')).toMatch(
      /no context.* prompt.*Metadata: team.*Days to keep records: 30.*Legal hold: nothing is deleted/,
    );
    await set({ retentionDays: null, legalHold: false, publish: null });
    await open('/settings');
    expect(await text()).not.toContain('operator');
  });

  it('are deleted after a number of days that an owner confirms', async () => {
    const save = async (days: string): Promise<void> => {
      await open('/settings');
      await page.$eval('#retentionDays', (input) => ((input as HTMLInputElement).value = ''));
      await page.type('#retentionDays', days);
      await press('main form button');
    };
    // None is that old.
    await save('7');
    expect(await text()).toContain('The settings are saved.');
    await save('');
    whole.interpose((asked, answer) => {
      // As in a week.
      if (asked.url?.startsWith('/v1/records/count?attested_to=') === true) asked.url = '/v1/records/count';
      passTo(() => node.url)(asked, answer);
    });
    await save('7');
    await auditPage(page, 'settings-deletion');
    expect(await text()).toMatch(/6\d records of this account, 7 days or older, will be deleted for good/);
    await page.click('#confirmed_days input');
    await press('main form button');
    expect(await text()).toContain('The settings are saved.');
    whole.interpose(null);
    await save('');
    expect(await text()).toContain('The settings are saved.');
  });

  it('are public by a link until it is revoked', async () => {
    await open('/records?model=large&provider=example');
    await press('a[href^="/shares/new"]');
    await press('main form button');
    const link = new URL(await text('main pre')).pathname;
    const outside = await browser.createBrowserContext();
    const reader = await newPage(outside);
    await reader.goto(front.url + link);
    await auditPage(reader, 'shared-set');
    expect(await reader.$$eval('main tbody tr', (found) => found.length)).toBe(20);
    expect(await reader.$eval('main', (element) => element.textContent)).toContain('Shared by Acme until');
    await Promise.all([reader.waitForNavigation(), reader.click('tbody a')]);
    await auditPage(reader, 'shared-certificate');
    expect(await reader.$eval('#verdict', (element) => element.textContent)).toBe('Verified');
    await outside.close();
    const read = (path: string): Promise<Response> => fetch(front.url + link + path);
    // Of the set, of the account but outside the set, of another account.
    const ends: readonly (readonly [string | undefined, number])[] = [
      [hashes[0], 200],
      [hashes[1], 404],
      [hashes.at(-1), 404],
    ];
    for (const [hash = '', status] of ends) {
      for (const path of ['certificate', 'download']) {
        expect([hash, (await read(`/${path}/${hash}`)).status]).toEqual([hash, status]);
      }
    }
    expect(at(await (await read(`/download/${hashes[0] ?? ''}`)).json(), 'certificateHash')).toBe(hashes[0]);
    await open('/shares');
    expect(await text()).toMatch(/opened 1\s+time,/);
    await press('main form button');
    expect((await read('')).status).toBe(410);
  });

  it('disappear from a shared link when hidden or deleted', async () => {
    const certificate = hashes[9] ?? '';
    await open(`/shares/new?certificate=${certificate}`);
    await press('main form button');
    const link = new URL(await text('main pre')).pathname;
    const read = async (): Promise<number> => (await fetch(front.url + link)).status;
    expect(await read()).toBe(200);
    const administer = async (act: string): Promise<number> => {
      const headers = { 'x-admin-secret': ADMIN_SECRET };
      return (await ask(node, 'post', `/v1/admin/records/${certificate}/${act}`, { headers, body: {} })).status;
    };
    expect(await administer('hide')).toBe(200);
    expect(await read()).toBe(404);
    expect(await administer('unhide')).toBe(200);
    expect(await read()).toBe(200);
    expect(await administer('delete')).toBe(200);
    expect(await read()).toBe(404);
  });

  it('report a node that is away, older or busy', async () => {
    whole.interpose((_asked, answer) => answer.destroy());
    await open('/records');
    await auditPage(page, 'node-away');
    expect(await text()).toContain('The attestation node cannot be reached. Nothing is lost');
    const refuse = (status: number, body: object): RequestListener => {
      return (_asked, answer) =>
        answer.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    whole.interpose(refuse(400, { error: 'VALIDATION_ERROR', details: ['query: must have only app_id'] }));
    await open('/records?model=large');
    expect(await text()).toContain('may be of an older release');
    whole.interpose(refuse(503, { error: 'SERVICE_UNAVAILABLE', message: 'still being indexed' }));
    await open('/records?model=large');
    expect(await text()).toContain('still being indexed');
    whole.interpose(refuse(200, { records: 'none' }));
    for (const path of ['/records', '/coverage']) {
      await open(path);
      expect(await text()).toContain('may be of an older release');
    }
    whole.interpose(null);
  });

  it('stay away from a suspended account', async () => {
    await dashboard.command('account', 'suspend', '--tenant', 'Acme');
    // The node asks again within two seconds.
    for (await open('/records'); !(await text()).includes('does not accept requests'); await open('/records')) {
      await sleep(200);
    }
    expect(await text()).toContain('the account may be suspended');
  });
});
