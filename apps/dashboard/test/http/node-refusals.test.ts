import { text as textOf } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import request from 'supertest';
import { issueShare } from '../../src/shares/share.js';
import { startDashboardBesideNode } from '../dashboard-beside-node.js';
import { TestBrowser } from '../test-browser.js';
import { PUBLIC_URL, type TestDashboard } from '../test-dashboard.js';

// A node that refuses every request for the same reason, and every message to its one webhook.

const WEBHOOK = {
  ...{ id: 'wh_1', url: 'https://hooks.example.com', types: null, createdAt: '2026-01-01T00:00:00.000Z' },
  ...{ secretVersion: 3, previousSecretUntil: null },
};
let details: readonly string[] = [];
/** The body of the last request that the node has refused. */
let asked: unknown;
/** How often a test message was asked for. */
let tests = 0;
let dashboard: TestDashboard;
let browser: TestBrowser;

beforeAll(async () => {
  dashboard = await startDashboardBesideNode((received, answer) => {
    const { url, method } = received;
    if (url === '/v1/webhooks' && method === 'GET') return answer.end(JSON.stringify({ webhooks: [WEBHOOK] }));
    if (url === '/v1/webhooks/wh_1/test') {
      tests += 1;
      const refusal = { error: 'RATE_LIMITED', message: '10 messages wait for this webhook', requestId: 'r' };
      return answer.writeHead(429).end(JSON.stringify(refusal));
    }
    if (url?.startsWith('/v1/webhooks/wh_1/deliveries?') === true) {
      return answer.end(JSON.stringify({ deliveries: [], next: null }));
    }
    return void textOf(received).then((body) => {
      asked = JSON.parse(body || 'null');
      if (url === '/v1/webhooks/wh_1/rotate') {
        const refusal = { error: 'WEBHOOK_ROTATED', message: 'rotated', requestId: 'r' };
        return answer.writeHead(409).end(JSON.stringify(refusal));
      }
      answer.writeHead(400, { 'content-type': 'application/json' });
      return answer.end(
        JSON.stringify({ error: 'VALIDATION_ERROR', message: details.join(';'), details, requestId: 'r' }),
      );
    });
  });
  browser = new TestBrowser(dashboard.app);
  await browser.signIn();
});
afterAll(() => dashboard.close());

const ORDER = 'attested_to: must be later than attested_from';

it.each(['/records', '/records/exports', '/records/export'])('says which filter the node refuses: %s', async (path) => {
  details = [ORDER];
  const answer = await browser.get(`${path}?app_id=travel-desk`);
  expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(`${ORDER}.`)]);
});

it('says so to the holder of a shared link', async () => {
  details = [ORDER];
  const target = { kind: 'set', target: 'app_id=travel-desk' } as const;
  const { url, ...share } = issueShare(PUBLIC_URL, dashboard.tenant.tenantId, target, 7, dashboard.now());
  await dashboard.store.shares.create(share, 'test');
  const answer = await request(dashboard.app).get(new URL(url).pathname);
  expect([answer.status, answer.text]).toEqual([404, expect.stringContaining(`${ORDER}.`)]);
});

it('lets the settings be changed while it is not known what the operator set', async () => {
  details = ['query: must have only attested_from, attested_to'];
  const { status, text } = await browser.get('/settings');
  expect([status, text]).toEqual([200, expect.stringContaining('Its operator may have set other values')]);
  const form = { metadata: 'none', minimumProtocol: '1.2.0', visibility: 'public', retentionDays: '' };
  expect((await browser.post('/settings', form)).headers['location']).toBe('/settings?done=settings-saved');
});

it('reports a filter that the node lacks', async () => {
  details = ['query: must have only attested_from, attested_to'];
  const { status, text } = await browser.get(`/records?reviewed_hash=sha256:${'a'.repeat(64)}`);
  expect([status, text]).toEqual([503, expect.stringContaining('of an older release')]);
});

it('reports a full message queue of a webhook', async () => {
  const { status, text } = await browser.post('/alerts/wh_1/test', {});
  expect([status, text]).toEqual([503, expect.stringContaining('10 messages wait for this webhook. Wait a minute.')]);
});

it('is asked for one test message by a form that is sent twice', async () => {
  const id = /name="form_id" value="([^"]+)"/.exec((await browser.get('/alerts/wh_1')).text)?.[1];
  const form = id === undefined ? {} : { form_id: id };
  tests = 0;
  const answers = await Promise.all([browser.post('/alerts/wh_1/test', form), browser.post('/alerts/wh_1/test', form)]);
  answers.push(await browser.post('/alerts/wh_1/test', form));
  expect(answers.map(({ status }) => status).sort()).toEqual([400, 400, 503]);
  const before = answers.filter(({ text }) =>
    text.includes('This form was sent before and asked for one test message'),
  );
  expect([before.length, tests]).toEqual([2, 1]);
});

it('reports a rotation that another one preceded', async () => {
  const version = /name="secret_version" value="([^"]+)"/.exec((await browser.get('/alerts/wh_1')).text)?.[1];
  const form = { grace_hours: '0', ...(version !== undefined && { secret_version: version }) };
  const { status, text } = await browser.post('/alerts/wh_1/rotate', form);
  expect([status, text]).toEqual([400, expect.stringContaining('Another request made a new secret')]);
  expect(asked).toEqual({ graceHours: 0, secretVersion: 3 });
});

it.each([
  ['url: must be an https URL', 'Address must be an https URL.'],
  ['types: must be of quota.reached', 'What it receives must be of quota.reached.'],
  ['a tenant has at most 10 webhooks', 'a tenant has at most 10 webhooks.'],
])('names the field of a refused webhook as the page does: %s', async (detail, sentence) => {
  details = [detail];
  const form = { url: 'http://hooks.example.com', types: 'quota.reached' };
  const { status, text } = await browser.post('/alerts', form);
  expect([status, text]).toEqual([422, expect.stringContaining(`>${sentence}<`)]);
});

it('names every fault of a refused webhook at its field', async () => {
  details = ['url: must be an https URL', 'types.0: must be of quota.reached'];
  const form = { url: 'http://hooks.example.com', types: 'quota.reached' };
  const { status, text } = await browser.post('/alerts', form);
  expect(status).toBe(422);
  expect(text).toContain('<a href="#url">Address must be an https URL.</a>');
  expect(text).toContain('<a href="#types">What it receives must be of quota.reached.</a>');
});

it('reports that the form of a webhook was sent before', async () => {
  details = ['id: is that of a webhook'];
  const form = { url: 'https://hooks.example.com', types: 'quota.reached' };
  const id = /name="webhook_id" value="([^"]+)"/.exec((await browser.get('/alerts')).text)?.[1] ?? '';
  const { status, text } = await browser.post('/alerts', { ...form, webhook_id: id });
  expect([status, text]).toEqual([400, expect.stringContaining('This form was sent before and added one webhook')]);
  expect(asked).toMatchObject({ id: `wh_${id}`, url: 'https://hooks.example.com' });
});

it('names a webhook in the activity once, also where the answer that it was added was lost', async () => {
  details = ['id: is that of a webhook'];
  const id = /name="webhook_id" value="([^"]+)"/.exec((await browser.get('/alerts')).text)?.[1] ?? '';
  const form = { url: 'https://lost.example.com/x', types: 'quota.reached', webhook_id: id };
  for (let again = 0; again < 2; again += 1) expect((await browser.post('/alerts', form)).status).toBe(400);
  const acts = await dashboard.store.acts(dashboard.tenant.tenantId, 50);
  const added = acts.filter(({ act, subject }) => act === 'webhook added' && subject === 'lost.example.com');
  expect(added).toHaveLength(1);
});
