import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startDashboardBesideNode } from '../dashboard-beside-node.js';
import { TestBrowser } from '../test-browser.js';
import { OWNER_EMAIL, type TestDashboard } from '../test-dashboard.js';

// A node that certifies reviews, of which the first answer is lost.

const HASH = `sha256:${'a'.repeat(64)}`;
const ROW = {
  ...{ certificateHash: HASH, kind: 'full', bundleType: 'v2', protocolVersion: '1.3.1', executionId: 'e', appId: null },
  ...{ provider: null, model: null, firstAttestedAt: '2026-01-01T00:00:00.000Z', timestampedAt: null },
  ...{ status: 'visible', verificationUrl: 'https://verify.example/c/1' },
};
const FORM = {
  ...{ subject: 'certificate', reviewed: HASH, seen: `sha256:${'b'.repeat(64)}`, decision: 'approved', comment: '' },
  execution_id: 'review:00000000-0000-4000-8000-000000000000',
};
let certified = 0;
let dashboard: TestDashboard;
let browser: TestBrowser;

beforeAll(async () => {
  dashboard = await startDashboardBesideNode(({ url }, answer) => {
    if (url?.startsWith('/v1/records?') === true) {
      return answer.end(JSON.stringify({ records: [ROW], nextCursor: null }));
    }
    certified += 1;
    if (certified === 1) return answer.destroy();
    answer.setHeader('x-idempotent-replay', 'true');
    return answer.end(JSON.stringify({ certificateHash: HASH, openings: {} }));
  });
  browser = new TestBrowser(dashboard.app);
  await browser.signIn();
});
afterAll(() => dashboard.close());

it('names a review in the activity once, also where the answer of the node was lost', async () => {
  await browser.get('/keys');
  const lost = await browser.post('/reviews', FORM);
  expect([lost.status, lost.text]).toEqual([503, expect.stringContaining('it is certified once')]);
  for (let again = 0; again < 2; again += 1) expect((await browser.post('/reviews', FORM)).status).toBe(200);
  const acts = await dashboard.store.acts(dashboard.tenant.tenantId, 50);
  expect(acts.filter(({ act }) => act === 'review certified')).toEqual([
    expect.objectContaining({ actor: OWNER_EMAIL, subject: `approved: certificate ${HASH}` }),
  ]);
});
