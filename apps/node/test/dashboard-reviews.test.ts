import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { isJsonObject, parseJson, type JsonObject } from '@cer/canonical-json';
import { sha256 } from '@cer/cer-core';
import { buildProject } from '@cer/cer-core/seal';
import { reviewOf } from '@cer/cer-core/review';
import { executionRequest } from '@cer/cer-core/testing';
import { auditPage, describeInChromium, type Page } from '@cer/test-browser';

import { ask, at, objectAt, textAt } from './ask.js';
import { cookieOf, startDashboardAndNode, type DashboardAndNode } from './dashboard-and-node.js';
import { runMain } from './node-process.js';

/** Pages are checked three times by all of axe's rules, possibly on a busy machine. */
jest.setTimeout(300_000);

const CLI = join(__dirname, '../../cli/src/main.ts');
const COMMENT = 'The second clause is missing. <script>document.title = "scripted"</script>"\'><b>';

function jsonObject(value: unknown): JsonObject {
  if (!isJsonObject(value)) throw new Error('a certificate is an object');
  return value;
}

describeInChromium('a review in the dashboard', () => {
  let whole: DashboardAndNode;
  let page: Page;
  let key: string;
  /** May register too. */
  let projectKey: string;
  let reviewed: string;
  let foreign: string;
  /** The certificate of the first review. */
  let certificateHash: string;

  const certify = async (as: string, members: JsonObject = {}): Promise<string> => {
    const body = executionRequest({ executionId: randomUUID(), context: { signals: [OUTCOME] }, ...members });
    return textAt((await ask(whole.node, 'post', '/v1/cer/ai/certify', { key: as, body })).body, 'certificateHash');
  };
  const OUTCOME = { type: 'model-call', source: 'tests', payload: { outcome: 'truncated' } };

  beforeAll(async () => {
    whole = await startDashboardAndNode();
    ({ page } = whole);
    await whole.dashboard.command('tenant', 'create', '--name', 'Other');
    key = await whole.dashboard.newKey();
    projectKey = await whole.dashboard.command('api-key', 'create', '--tenant', 'Acme', '--scopes', 'certify,register');
    reviewed = await certify(key, { appId: 'desk' });
    foreign = await certify(
      await whole.dashboard.command('api-key', 'create', '--tenant', 'Other', '--scopes', 'certify'),
    );
  });
  afterAll(() => whole.close());

  const { open, press, text } = {
    open: (path: string): Promise<unknown> => whole.open(path),
    press: (selector: string, on?: Page): Promise<unknown> => whole.press(selector, on),
    text: (selector?: string): Promise<string> => whole.text(selector),
  };
  /** The fields that the form of a page would send. */
  const fieldsOf = async (on: Page): Promise<Record<string, string>> => {
    const fields = await on.$$eval('main form [name]', (inputs): [string, string][] =>
      inputs.map((input) => [input.getAttribute('name') ?? '', (input as HTMLInputElement).value]),
    );
    return Object.fromEntries(fields);
  };
  const post = async (on: Page, fields: Readonly<Record<string, string>>, origin = whole.url): Promise<Response> => {
    const headers = { cookie: await cookieOf(on), origin, 'content-type': 'application/x-www-form-urlencoded' };
    return fetch(`${whole.url}/reviews`, {
      method: 'POST',
      headers,
      body: new URLSearchParams(fields).toString(),
      redirect: 'manual',
    });
  };
  const certificateOf = async (hash: string): Promise<JsonObject> => {
    return jsonObject(parseJson(await (await whole.download(`/records/download/${hash}`)).text()));
  };

  it("is made from the certificate's page by keyboard alone", async () => {
    await open(`/records/certificate/${reviewed}`);
    await auditPage(page, 'record-unreviewed');
    expect(await text()).toMatch(/Outcome\s+truncated/);
    expect(await text()).toContain('No user of this account has reviewed it.');
    expect(await text()).toContain('This receipt is in no transparency log, or the node keeps none.');
    await page.focus('a[href^="/reviews/new"]');
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    await auditPage(page, 'review-form');
    await press('main form button');
    expect(await text('[role=alert]')).toContain('Decision');
    await auditPage(page, 'review-form-faults');
    await page.focus('#decision-rejected');
    await page.keyboard.press('Space');
    await page.keyboard.press('Tab');
    await page.keyboard.type(COMMENT);
    await page.keyboard.press('Tab');
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    expect(await text('h1')).toBe('Keep the values of your review');
    await auditPage(page, 'review-certified');
  });

  it('shows the sealed values once, as text', async () => {
    const values: unknown = JSON.parse(await text('main pre'));
    expect(values).toMatchObject({
      input: { reviewed, reviewer: expect.stringContaining('owner@example.org') },
      output: { decision: 'rejected', comment: COMMENT },
      openings: expect.any(Object),
    });
    const file = await page.$eval('a[download]', (link) => link.getAttribute('href') ?? '');
    expect(JSON.parse(Buffer.from(file.split(',')[1] ?? '', 'base64').toString('utf8'))).toEqual(values);
    expect(await page.title()).not.toContain('scripted');
    await press('main .acts a[href^="/records/certificate/"]');
    certificateHash = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    expect(await text('#verdict')).toBe('Verified, contents confidential');
    expect(await text()).toContain(`rejected: certificate ${reviewed}`);
    const certificate = await certificateOf(certificateHash);
    expect(reviewOf(certificate)).toEqual({ subject: 'certificate', reviewed, decision: 'rejected' });
    expect(JSON.stringify(certificate)).not.toMatch(/owner@example|second clause/);
    // The seen file is the one that the page of the certificate offers.
    const downloaded = await (await whole.download(`/records/download/${reviewed}`)).text();
    expect(at(at(values, 'input'), 'seen')).toBe(sha256(downloaded));
  });

  it("is on the certificate's page, the list and the activity", async () => {
    await open(`/records/certificate/${reviewed}`);
    await auditPage(page, 'record-reviewed');
    expect((await text('section[aria-labelledby=reviews]')).replaceAll(/\s+/g, ' ')).toMatch(/Rejected Verified/);
    await open(`/records?reviewed_hash=${reviewed}`);
    expect(await page.$$eval('main tbody tr', (rows) => rows.length)).toBe(1);
    await open('/activity');
    expect(await text()).toContain(`rejected: certificate ${reviewed}`);
    expect(await text()).not.toContain('second clause');
  });

  it('is certified once for any number of sent forms', async () => {
    await open(`/reviews/new?certificate=${reviewed}`);
    const fields = { ...(await fieldsOf(page)), decision: 'approved', comment: 'once' };
    const answers = await Promise.all([post(page, fields), post(page, fields), post(page, fields)]);
    const hashes = await Promise.all(
      answers.map(async (answer) => /certificate\/(sha256:[0-9a-f]{64})/.exec(await answer.text())?.[1]),
    );
    expect([answers.map(({ status }) => status), new Set(hashes).size]).toEqual([[200, 200, 200], 1]);
    const other = await post(page, { ...fields, decision: 'rejected' });
    expect([other.status, await other.text()]).toEqual([400, expect.stringContaining('This form was sent before')]);
    await open(`/records?reviewed_hash=${reviewed}`);
    expect(await page.$$eval('main tbody tr', (rows) => rows.length)).toBe(2);
    await open('/activity');
    expect((await text()).match(/approved: certificate/g)).toHaveLength(1);
  });

  it('is refused with a forged token, foreign origin or foreign record', async () => {
    await open(`/reviews/new?certificate=${reviewed}`);
    const fields = { ...(await fieldsOf(page)), decision: 'approved', comment: '' };
    expect((await post(page, { ...fields, form_token: 'forged' })).status).toBe(403);
    expect((await post(page, fields, 'https://evil.example')).status).toBe(403);
    expect((await post(page, { ...fields, reviewed: foreign })).status).toBe(404);
    expect((await post(page, { ...fields, subject: 'project' })).status).toBe(404);
    expect((await post(page, { ...fields, execution_id: 'run-1' })).status).toBe(400);
    expect((await post(page, { ...fields, comment: 'x'.repeat(10_001) })).status).toBe(422);
    for (const query of [`certificate=${foreign}`, `project=${reviewed}`, 'certificate=none', '']) {
      expect([query, (await whole.download(`/reviews/new?${query}`)).status]).toEqual([query, 404]);
    }
  });

  it('of a project is requested and made beside its steps', async () => {
    const executions = [0, 1].map(() => executionRequest({ executionId: randomUUID() }));
    const bundles = await Promise.all(
      executions.map(async (body) =>
        objectAt((await ask(whole.node, 'post', '/v1/cer/ai/certify', { key: projectKey, body })).body, 'cer'),
      ),
    );
    const project = buildProject(
      { projectBundleId: randomUUID(), projectTitle: 'A project' },
      bundles.map((bundle, index) => ({ stepId: `step-${index}`, bundle: jsonObject(bundle) })),
    );
    const registered = await ask(whole.node, 'post', '/v1/project-bundle/register', { key: projectKey, body: project });
    const projectHash = textAt(registered.body, 'projectHash');
    await open(`/records?search=${projectHash}`);
    expect(await page.$$eval('main tbody tr', (rows) => rows.length)).toBe(2);
    expect(await text('section[aria-labelledby=reviews]')).toContain('No user of this account has reviewed it.');
    await auditPage(page, 'project-unreviewed');
    await press('a[href^="/reviews/new?project="]');
    await page.click('#decision-approved');
    await press('main form button');
    expect(JSON.parse(await text('main pre'))).toMatchObject({ input: { reviewed: projectHash, seen: null } });
    await press('main .acts a[href^="/records/certificate/"]');
    expect(await text()).toContain(`approved: project ${projectHash}`);
    await open(`/records?search=${projectHash}`);
    expect((await text('section[aria-labelledby=reviews]')).replaceAll(/\s+/g, ' ')).toMatch(/Approved Verified/);
    await auditPage(page, 'project-reviewed');
    await open('/activity');
    expect(await text()).toContain(`approved: project ${projectHash}`);
  });

  it('is made by members and reviewers, not auditors', async () => {
    const auditor = await whole.signIn('audit@example.org', 'auditor');
    await auditor.goto(`${whole.url}/records/certificate/${reviewed}`);
    expect(await auditor.$('a[href^="/reviews/new"]')).toBeNull();
    expect((await auditor.goto(`${whole.url}/reviews/new?certificate=${reviewed}`))?.status()).toBe(403);
    const member = await whole.signIn('member@example.org', 'member');
    await member.goto(`${whole.url}/reviews/new?certificate=${reviewed}`);
    const fields = { ...(await fieldsOf(member)), decision: 'commented', comment: 'seen' };
    expect((await post(auditor, fields)).status).toBe(403);
    expect((await post(member, fields)).status).toBe(200);
    const reviewer = await whole.signIn('reviewer@example.org', 'reviewer');
    await reviewer.goto(`${whole.url}/records/certificate/${reviewed}`);
    await whole.press('a[href^="/reviews/new"]', reviewer);
    await auditPage(reviewer, 'review-by-a-reviewer');
    await reviewer.click('#decision-approved');
    await whole.press('main form button', reviewer);
    expect(await reviewer.$eval('main pre', (values) => values.textContent)).toContain('reviewer@example.org');
  });

  it('keeps typed values while the node does not certify', async () => {
    await open(`/reviews/new?certificate=${reviewed}`);
    await page.click('#decision-commented');
    await page.type('#comment', 'typed with care');
    whole.interpose((_asked, answer) => answer.destroy());
    await press('main form button');
    expect(await text('[role=alert]')).toContain('The attestation node cannot be reached.');
    await auditPage(page, 'review-node-away');
    // A node that does not know the scope.
    whole.interpose((_asked, answer) =>
      answer.writeHead(403, { 'content-type': 'application/json' }).end('{"error":"FORBIDDEN"}'),
    );
    await press('main form button');
    expect(await text('[role=alert]')).toContain('does not accept requests of this dashboard');
    whole.interpose(null);
    await press('main form button');
    expect(await text('h1')).toBe('Keep the values of your review');
    expect(await text('main pre')).toContain('typed with care');
  });

  it('is made by API with a key that only reviews', async () => {
    const reviewKey = await whole.dashboard.command('api-key', 'create', '--tenant', 'Acme', '--scopes', 'review');
    const values = join(whole.folder, 'values.json');
    const env = { CER_API_KEY: reviewKey };
    const flags = ['--decision', 'approved', '--reviewer', 'Ada Example', '--values', values, '--node', whole.node.url];
    const made = await runMain(CLI, ['review', reviewed, ...flags], env);
    expect([made.code, made.stderr]).toEqual([0, '']);
    const body = executionRequest({ executionId: randomUUID() });
    const other = await ask(whole.node, 'post', '/v1/cer/ai/certify', { key: reviewKey, body });
    expect([other.status, at(other.body, 'error')]).toEqual([403, 'FORBIDDEN']);
    expect((await ask(whole.node, 'get', '/v1/records', { key: reviewKey })).status).toBe(403);
    await open(`/records?reviewed_hash=${reviewed}`);
    expect(await page.$$eval('main tbody tr', (rows) => rows.length)).toBe(6);
  });

  it('is in the audit package and verifies there', async () => {
    for (const [query, count] of [
      ['', 10],
      [`?reviewed_hash=${reviewed}`, 6],
      // The certificate and its reviews of the dashboard; the one by API names no application.
      ['?app_id=desk', 6],
    ] as const) {
      const file = join(whole.folder, `package-${randomUUID()}.zip`);
      const exported = await whole.download(`/records/export${query}`);
      writeFileSync(file, Buffer.from(await exported.arrayBuffer()));
      const said = await runMain(CLI, ['verify-package', file, '--keys', whole.node.url, '--json'], {});
      expect([said.code, JSON.parse(said.stdout)]).toMatchObject([
        0,
        { completeness: 'complete', records: { verified: count } },
      ]);
    }
    const file = join(whole.folder, 'review.json');
    writeFileSync(file, JSON.stringify(await certificateOf(certificateHash)));
    const said = await runMain(CLI, ['verify', file, '--keys', whole.node.url], {});
    expect(said.stdout).toMatch(/Human review[^]*rejected, as the producer states/);
  });
});
