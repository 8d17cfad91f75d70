import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { issueApiKey } from '../../src/account/api-key.js';
import { issueShare } from '../../src/shares/share.js';
import { TestBrowser } from '../test-browser.js';
import { PUBLIC_URL, startTestDashboard, type TestDashboard } from '../test-dashboard.js';

let dashboard: TestDashboard;
let owner: TestBrowser;

beforeEach(async () => {
  dashboard = await startTestDashboard();
  owner = new TestBrowser(dashboard.app);
  await owner.signIn();
});
afterEach(async () => {
  await dashboard.close();
});

/** Adds one with this number; it is recognized by `item <number>`. */
const ADD: readonly (readonly [string, (at: number) => Promise<unknown>])[] = [
  [
    '/keys',
    (at) => {
      const { key: _, ...kept } = issueApiKey();
      const { tenantId } = dashboard.tenant;
      return dashboard.store.apiKeys.create({ tenantId, name: `item ${at}`, scopes: ['certify'], ...kept }, 'test');
    },
  ],
  [
    '/users',
    async (at) => {
      const { tenantId } = dashboard.tenant;
      // Several of one moment, whose order their addresses decide.
      if (at % 3 === 0) dashboard.pass(1);
      const email = `${randomUUID()}@example.org`;
      return dashboard.store.users.add(
        { tenantId, name: `item ${at}`, email, role: 'member', passwordHash: null },
        'test',
      );
    },
  ],
  [
    '/shares',
    async (at) => {
      const target = { kind: 'set', target: `model=item+${at}` } as const;
      const { url: _, ...share } = issueShare(PUBLIC_URL, dashboard.tenant.tenantId, target, 7, dashboard.now());
      return dashboard.store.shares.create(share, 'test');
    },
  ],
];

it.each(ADD)('%s shows at most 50 on a page and leads to all', async (path, add) => {
  const total = 120;
  for (let at = 0; at < total; at += 1) await add(at);
  const perPage: number[] = [];
  const seen = new Set<string>();
  for (let next: string | undefined = path; next !== undefined;) {
    const { status, text } = await owner.get(next);
    expect(status).toBe(200);
    perPage.push(text.match(/<li class="card item">/g)?.length ?? 0);
    for (const [name] of text.matchAll(/item \d+/g)) seen.add(name);
    expect(text.includes(`<a href="${path}">First page</a>`)).toBe(next !== path);
    next = /rel="next" href="([^"]+)"/.exec(text)?.[1];
  }
  // The account's owner is a user too.
  expect(perPage).toEqual([50, 50, path === '/users' ? 21 : 20]);
  expect(seen.size).toBe(total);
});

it('shows nothing of another account behind its ids', async () => {
  const other = await dashboard.store.tenants.create({ name: 'Other' }, 'test');
  const { key: _, ...kept } = issueApiKey();
  const theirs = { tenantId: other.tenantId, name: 'item of theirs', scopes: ['certify'] as const, ...kept };
  const first = await dashboard.store.apiKeys.create(theirs, 'test');
  const { key: __, ...keptToo } = issueApiKey();
  await dashboard.store.apiKeys.create({ ...theirs, ...keptToo }, 'test');
  for (const path of ['/keys', '/users', '/shares']) {
    const { status, text } = await owner.get(`${path}?after=${first.keyId}`);
    expect([status, text.includes('item of theirs'), text.includes('<li class="card item">')]).toEqual([
      200,
      false,
      false,
    ]);
  }
});
