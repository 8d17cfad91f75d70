import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startDashboardBesideNode } from '../dashboard-beside-node.js';
import { TestBrowser } from '../test-browser.js';
import type { TestDashboard } from '../test-dashboard.js';

// A node whose operator limits how long records are kept, with three records of any age.

const OPERATOR = { retentionDays: 30, visibility: null, legalHold: null, publish: null };
const FORM = { metadata: 'none', minimumProtocol: '1.2.0', visibility: 'public', retentionDays: '' };
let dashboard: TestDashboard;
let browser: TestBrowser;
let isSilent = false;
/** Runs while the node is asked for the settings of its operator. */
let meanwhile = async (): Promise<unknown> => null;

beforeAll(async () => {
  dashboard = await startDashboardBesideNode(({ url }, answer) => {
    if (isSilent) return answer.destroy();
    const isCount = url?.startsWith('/v1/records/count?') === true;
    const text = JSON.stringify(isCount ? { count: 3, isExact: true } : { stated: { node: OPERATOR } });
    return void meanwhile().then(() => answer.end(text));
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

it('asks before a legal hold ends while the days of the operator are not known', async () => {
  await browser.get('/settings');
  isSilent = true;
  try {
    expect((await browser.get('/settings')).text).toMatch(/Reload the\s+page in a minute\./);
    for (const retentionDays of ['', '60']) {
      expect((await browser.post('/settings', { ...FORM, retentionDays, legalHold: 'on' })).status).toBe(303);
      const { status, text } = await browser.post('/settings', { ...FORM, retentionDays });
      expect([status, text]).toEqual([422, expect.stringContaining('and its operator may have set how long')]);
      const statusOf = async (confirmed_days: string): Promise<number> =>
        (await browser.post('/settings', { ...FORM, retentionDays, confirmed_days })).status;
      // Of known days, and of another number of the account.
      for (const other of ['60', 'unknown or 7']) expect(await statusOf(other)).toBe(422);
      expect(await statusOf(retentionDays === '' ? 'unknown' : 'unknown or 60')).toBe(303);
    }
  } finally {
    isSilent = false;
  }
});

it('keeps a legal hold that another owner begins while days are saved', async () => {
  const { store, tenant } = dashboard;
  await browser.get('/settings');
  expect((await browser.post('/settings', { ...FORM, retentionDays: '60' })).status).toBe(303);
  const { settings } = (await store.tenants.find(tenant.tenantId)) ?? tenant;
  meanwhile = () => store.tenants.setSettings(tenant.tenantId, { ...settings, legalHold: true }, 'another owner');
  const { status, text } = await browser.post('/settings', { ...FORM, retentionDays: '90' });
  meanwhile = async () => null;
  expect([status, text]).toEqual([400, expect.stringContaining('The settings have just been changed elsewhere')]);
  expect(await store.tenants.find(tenant.tenantId)).toMatchObject({
    settings: { legalHold: true, retentionDays: 60 },
  });
});

it.each([
  ['days', { retentionDays: '90' }],
  ['a legal hold', { legalHold: 'on' }],
])('says when a change reaches the node: %s', async (_what, change) => {
  await browser.get('/settings');
  const current = { ...FORM, confirmed_days: '30' };
  await browser.post('/settings', current);
  const { headers } = await browser.post('/settings', { ...current, ...change });
  expect((await browser.get(String(headers['location']))).text).toContain('when the node is next asked under one of');
  const again = await browser.post('/settings', { ...current, ...change, visibility: 'hidden' });
  expect((await browser.get(String(again.headers['location']))).text).toContain('They hold for new records within 2');
});
