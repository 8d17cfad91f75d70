import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { executionRequest } from '@cer/cer-core/testing';
import { describeInChromium, newPage, type Page } from '@cer/test-browser';

import { ask, textAt } from './ask.js';
import { cookieOf, startDashboardAndNode, type DashboardAndNode } from './dashboard-and-node.js';
import { runMain } from './node-process.js';

/** Browser, two services and the command line, possibly on a busy machine. */
jest.setTimeout(300_000);

const CLI = join(__dirname, '../../cli/src/main.ts');
const PROVIDER = join(__dirname, '../../dashboard/test/oidc-provider.mjs');
const CLIENT = { OIDC_CLIENT_ID: 'dashboard', OIDC_CLIENT_SECRET: 'a-client-secret-of-the-tests' };
const PERSON = { sub: 'p-1', email: 'rita@acme.example', email_verified: true, name: 'Rita', groups: ['reviewing'] };

describeInChromium('a reviewer of a company', () => {
  let provider: ChildProcess;
  let whole: DashboardAndNode;
  let page: Page;
  let hash: string;

  beforeAll(async () => {
    whole = await startDashboardAndNode({}, async (url) => {
      const args = [`${url}/sign-in/oidc/callback`, CLIENT.OIDC_CLIENT_ID, CLIENT.OIDC_CLIENT_SECRET];
      provider = spawn(process.execPath, [PROVIDER, ...args], { stdio: ['pipe', 'pipe', 'ignore'] });
      if (provider.stdout === null) throw new Error('the provider has no output');
      const lines = createInterface(provider.stdout);
      const [issuer] = (await once(lines, 'line')) as [string];
      lines.close();
      return { ...CLIENT, OIDC_ISSUER: issuer, OIDC_TENANT: 'Acme', OIDC_REVIEWER_VALUES: 'reviewing' };
    });
    const key = await whole.dashboard.newKey();
    const certify = async (model: string): Promise<string> => {
      const body = executionRequest({ executionId: randomUUID(), model });
      return textAt((await ask(whole.node, 'post', '/v1/cer/ai/certify', { key, body })).body, 'certificateHash');
    };
    hash = await certify('wanted-1');
    await certify('other-1');
    page = await newPage(await whole.browser.createBrowserContext());
    // The person whom the tests' provider signs in.
    await page.setExtraHTTPHeaders({ 'x-person': JSON.stringify(PERSON) });
  });

  afterAll(async () => {
    await whole.close();
    const ended = once(provider, 'exit');
    provider.stdin?.end();
    await ended;
  });

  const press = (selector: string): Promise<unknown> => whole.press(selector, page);
  const text = (selector = 'main'): Promise<string> => page.$eval(selector, (element) => element.textContent);

  it('signs in, finds, reviews, exports and verifies certificates', async () => {
    await page.goto(whole.url);
    await press('a[href="/sign-in/oidc"]');
    expect(new URL(page.url()).origin).toBe(whole.url);
    expect(await text('header')).toContain(PERSON.email);

    await page.goto(`${whole.url}/records`);
    await page.type('#search', hash);
    await press('main form button');
    expect(await page.$$eval('main tbody tr', (rows) => rows.length)).toBe(1);
    await press('a[href^="/records/certificate/"]');
    expect(await text('#verdict')).toBe('Verified');

    await press('a[href^="/reviews/new"]');
    await page.click('#decision-approved');
    await press('main form button');
    expect(await text('h1')).toBe('Keep the values of your review');

    await page.goto(`${whole.url}/records`);
    await press('a[href^="/records/exports"]');
    expect(await text()).toContain('Audit package of 3 records');
    const download = await page.$eval('a[href*="follow="]', (link) => link.getAttribute('href') ?? '');
    const exported = await fetch(whole.url + download, { headers: { cookie: await cookieOf(page) } });
    const file = join(whole.folder, 'package.zip');
    writeFileSync(file, Buffer.from(await exported.arrayBuffer()));

    const said = await runMain(CLI, ['verify-package', file, '--keys', whole.node.url, '--json'], {});
    expect([said.code, JSON.parse(said.stdout)]).toMatchObject([
      0,
      { completeness: 'complete', records: { verified: 3 } },
    ]);
  });
});
