import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startDashboardBesideNode } from '../dashboard-beside-node.js';
import { TestBrowser } from '../test-browser.js';
import type { TestDashboard } from '../test-dashboard.js';

// A node whose operator limits how long records are kept, with three records of any age.

const OPERATOR = { retentionDays: 30, visibility: null, legalHold: null, publish: null };
const FORM = { metadata: 'none', minimumProtocol: '1.2.0', visibility: 'public', retentionDays: '' };
let dashboard: TestDashboard;
let browser: TestBrowser;

beforeAll(async () => {
  dashboard = await startDashboardBesideNode(({ url }, answer) => {
    const isCount = url?.startsWith('/v1/records/count?') === true;
    answer.end(JSON.stringify(isCount ? { count: 3, isExact: true } : { stated: { node: OPERATOR } }));
  });
  browser = new TestBrowser(dashboard.app);
  await browser.signIn();
});
afterAll(() => dashboard.close());

it('asks before a legal hold ends that keeps records from the days of the operator', async () => {
  await browser.get('/settings');
  expect((await browser.post('/settings', { ...FORM, legalHold: 'on' })).status).toBe(303);
  const { status, text } = await browser.post('/settings', FORM);
  const sentence = '3 records of this account, 30 days or older, will be deleted for good. Confirm it.';
  expect([status, text]).toEqual([422, expect.stringContaining(sentence)]);
  expect((await browser.post('/settings', { ...FORM, confirmed_days: '30' })).status).toBe(303);
});

it('asks for days of the account that are fewer than those of the operator', async () => {
  await browser.get('/settings');
  for (const [retentionDays, status] of [
    ['60', 303],
    ['7', 422],
    ['30', 303],
  ] as const) {
    const answer = await browser.post('/settings', { ...FORM, retentionDays });
    expect([retentionDays, answer.status]).toEqual([retentionDays, status]);
  }
});
