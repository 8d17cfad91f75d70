import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { dashboardRoutes } from '../../src/app.js';
import { TestBrowser } from '../test-browser.js';
import { OPERATOR_TOKEN, SERVICE_TOKEN, startTestDashboard, type TestDashboard } from '../test-dashboard.js';

/** Routes that no session opens, and the end of a session, which every role may send. */
const WITHOUT_SESSION = /^POST \/(sign-in|sign-out|link\/|internal\/)/;

const READERS = [
  { role: 'auditor', acts: /^\/security\//, refusal: 'An auditor reads and exports, and changes nothing but' },
  { role: 'reviewer', acts: /^\/(security\/|reviews$)/, refusal: 'A reviewer reads, exports and reviews, and' },
] as const;

describe.each(READERS)('a reader with the role $role', ({ role, acts, refusal }) => {
  let dashboard: TestDashboard;
  let browser: TestBrowser;

  beforeAll(async () => {
    dashboard = await startTestDashboard();
    await dashboard.addUser('audit@example.org', role);
    browser = new TestBrowser(dashboard.app);
    await browser.signIn('audit@example.org');
  });

  afterAll(async () => {
    await dashboard.close();
  });

  it('changes nothing by any other route', async () => {
    const routes = dashboardRoutes(dashboard.deps).filter(
      ({ method, path }) => method !== 'GET' && !WITHOUT_SESSION.test(`${method} ${path}`) && !acts.test(path),
    );
    expect(routes.length).toBeGreaterThan(7);
    await browser.get('/');
    const before = await dashboard.everythingInDatabase();
    for (const { path } of routes) {
      const answer = await browser.post(path.replace(/:\w+/g, dashboard.owner.userId), {
        name: 'a',
        scopes: 'certify',
      });
      expect([path, answer.status]).toEqual([path, 403]);
      expect(answer.text).toContain(refusal);
    }
    expect(await dashboard.everythingInDatabase()).toBe(before);
  });

  // Records come from a node and are tested with one.
  it('reads every page and gets no form that changes the account', async () => {
    const routes = dashboardRoutes(dashboard.deps).filter(
      ({ method, path }) =>
        method === 'GET' && !path.includes(':') && !/^\/(records|coverage|reviews|alerts|security)/.test(path),
    );
    // The first page has the key made with which the dashboard asks the node; the second has SQLite note that it was read.
    for (const path of ['/settings', '/']) await browser.get(path);
    const before = await dashboard.everythingInDatabase();
    for (const { path } of routes) {
      const { status, text, type } = await browser.get(path);
      expect([path, status]).toEqual([
        path,
        path === '/v1/operator/activity' ? 401 : path.startsWith('/sign-in') ? 303 : 200,
      ]);
      if (type !== 'text/html') continue;
      const enabled = text.replaceAll(/<fieldset[^>]* disabled[\s\S]*?<\/fieldset>/g, '');
      const buttons = [...enabled.matchAll(/<button([^>]*)>([^<]*)/g)].filter(
        ([, rest = '']) => !/disabled/.test(rest),
      );
      expect([path, buttons.map(([, , label]) => label)]).toEqual([path, ['Sign out']]);
    }
    expect(await dashboard.everythingInDatabase()).toBe(before);
  });

  it('has no session at the bridge', async () => {
    const user = await dashboard.store.users.findForLogin('audit@example.org');
    const answer = await request(dashboard.app)
      .post('/internal/v1/sessions/introspect')
      .set('Authorization', `Bearer ${SERVICE_TOKEN}`)
      .send({ tenantId: dashboard.tenant.tenantId, sub: user?.user.userId });
    expect(answer.body).toEqual({ active: false });
  });

  it('exports the activity of its own account', async () => {
    const other = await dashboard.store.tenants.create({ name: 'Other' }, 'test');
    dashboard.pass(11_000);
    const { text, headers } = await browser.get('/activity/export');
    expect(headers['content-type']).toBe('application/x-ndjson');
    expect(headers['content-disposition']).toContain('attachment');
    const acts = linesOf(text);
    expect(acts.length).toBeGreaterThan(2);
    expect(new Set(acts.map(({ tenantId }) => tenantId))).toEqual(new Set([dashboard.tenant.tenantId]));
    expect(other.tenantId).not.toBe(dashboard.tenant.tenantId);
  });
});

describe('a long activity', () => {
  let dashboard: TestDashboard;
  let browser: TestBrowser;
  const ACTS = 1050;

  beforeAll(async () => {
    dashboard = await startTestDashboard();
    const { tenantId } = dashboard.tenant;
    for (let at = 0; at < ACTS; at += 1)
      await dashboard.store.note(tenantId, 'records exported', `subject ${at}.`, 'test');
    dashboard.pass(11_000);
    browser = new TestBrowser(dashboard.app);
    await browser.signIn();
    dashboard.pass(11_000);
  });

  afterAll(async () => {
    await dashboard.close();
  });

  it('is exported as a whole', async () => {
    const acts = linesOf((await browser.get('/activity/export')).text);
    expect(acts.filter(({ act }) => act === 'records exported')).toHaveLength(ACTS);
    expect(acts.at(-1)?.act).toBe('signed in');
    expect(acts.map(({ seq }) => seq)).toEqual([...new Set(acts.map(({ seq }) => seq))].sort((a, b) => a - b));
  });

  it('is exported in the parts that a program asks for', async () => {
    const whole = linesOf((await browser.get('/activity/export')).text);
    const { seq } = whole[0] ?? {};
    expect(linesOf((await browser.get(`/activity/export?after=${seq}&limit=2`)).text)).toEqual(whole.slice(1, 3));
  });

  it('says on its page that it has older acts', async () => {
    const { text } = await browser.get('/activity');
    expect(text).toContain('subject 1049.');
    expect(text).not.toContain('subject 3.');
    expect(text).toContain('the newest 200; the export has all');
  });
});

describe('the activity for operators', () => {
  let dashboard: TestDashboard;

  beforeAll(async () => {
    dashboard = await startTestDashboard();
  });

  afterAll(async () => {
    await dashboard.close();
  });

  const read = (query: string, token = OPERATOR_TOKEN) =>
    request(dashboard.app).get(`/v1/operator/activity${query}`).set('Authorization', `Bearer ${token}`);

  it('is every act once, page by page', async () => {
    for (const name of ['One', 'Two', 'Three']) await dashboard.store.tenants.create({ name }, 'test');
    expect((await read('')).text).toBe('');
    dashboard.pass(11_000);
    const whole = linesOf((await read('')).text);
    expect(whole.filter(({ act }) => act === 'tenant created')).toHaveLength(4);
    const paged: Line[] = [];
    for (;;) {
      const page = linesOf((await read(`?limit=2&after=${paged.at(-1)?.seq ?? 0}`)).text);
      if (page.length === 0) break;
      paged.push(...page);
    }
    expect(paged).toEqual(whole);
  });

  it('is a request for a collector of OTLP logs', async () => {
    const answer = await read('?format=otlp&limit=1');
    expect(answer.body).toMatchObject({
      resourceLogs: [{ scopeLogs: [{ scope: { name: 'activity' }, logRecords: [{ eventName: 'tenant created' }] }] }],
    });
  });

  it('needs the credential of operators', async () => {
    expect((await read('', SERVICE_TOKEN)).status).toBe(401);
    expect((await request(dashboard.app).get('/v1/operator/activity')).status).toBe(401);
    expect((await read('?after=x')).status).toBe(400);
  });
});

interface Line {
  readonly seq: number;
  readonly tenantId: string;
  readonly act: string;
}

function linesOf(text: string): readonly Line[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line);
}
