import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startDashboardBesideNode } from '../dashboard-beside-node.js';
import { TestBrowser } from '../test-browser.js';
import type { TestDashboard } from '../test-dashboard.js';

// A node that does what it is asked to, and whose answer is lost.

const WEBHOOK = {
  ...{ id: 'wh_1', url: 'https://hooks.example.com/path', types: null, createdAt: '2026-01-01T00:00:00.000Z' },
  ...{ secretVersion: 3, previousSecretUntil: null },
};
let dashboard: TestDashboard;
let browser: TestBrowser;
const asked: string[] = [];

beforeAll(async () => {
  dashboard = await startDashboardBesideNode((received, answer) => {
    const { url, method } = received;
    if (url === '/v1/webhooks' && method === 'GET') return answer.end(JSON.stringify({ webhooks: [WEBHOOK] }));
    asked.push(url ?? '');
    return answer.destroy();
  });
  browser = new TestBrowser(dashboard.app);
  await browser.signIn();
});
afterAll(() => dashboard.close());

it.each([
  ['rotate', 'webhook secret rotated'],
  ['remove', 'webhook removed'],
])('the activity has an act whose answer was lost: %s', async (path, act) => {
  const { status } = await browser.post(`/alerts/wh_1/${path}`, { grace_hours: '0', secret_version: '3' });
  expect(status).toBe(503);
  expect(asked).toContain(`/v1/webhooks/wh_1/${path}`);
  const acts = await dashboard.store.acts(dashboard.tenant.tenantId, 50);
  expect(acts.filter((one) => one.act === act).map(({ subject }) => subject)).toEqual([
    'hooks.example.com (not confirmed by the node)',
  ]);
});
