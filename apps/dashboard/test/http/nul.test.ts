import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { postgresTestDatabase, sqliteTestDatabase } from '@cer/sql-store/testing';
import { TestBrowser } from '../test-browser.js';
import { startTestDashboard, type TestDashboard } from '../test-dashboard.js';

describe.each([
  ['SQLite', sqliteTestDatabase],
  ['PostgreSQL', postgresTestDatabase],
] as const)('the character NUL in an address, on %s', (_, makeDatabase) => {
  let database: Awaited<ReturnType<typeof makeDatabase>>;
  let dashboard: TestDashboard;
  let browser: TestBrowser;

  beforeAll(async () => {
    database = await makeDatabase();
    dashboard = await startTestDashboard({ databaseUrl: database.url });
    browser = new TestBrowser(dashboard.app);
    await browser.signIn();
  });
  afterAll(async () => {
    await dashboard.close();
    await database.remove();
  });

  it.each(['/keys', '/users', '/shares'])('is refused in the query of %s', async (path) => {
    const { status, text } = await browser.get(`${path}?after=a%00`);
    expect([status, text]).toEqual([400, expect.stringContaining('The address must not contain the character NUL.')]);
  });

  it.each(['/keys/%00/rotate', '/keys/%00/revoke', '/alerts/%00'])('names no page: %s', async (path) => {
    expect((await browser.get(path)).status).toBe(404);
  });

  it.each([
    ...['/keys/%00/rotate', '/keys/%00/revoke', '/shares/%00/revoke', '/alerts/%00/remove'],
    ...['/users/%00/link', '/users/%00/disable', '/users/%00/enable', '/users/%00/reset-sign-in'],
  ])('names nothing that a form changes: %s', async (path) => {
    await browser.get('/keys');
    expect((await browser.post(path)).status).toBe(404);
  });

  it('is no fault of the service', () => {
    expect(dashboard.logLines.filter((line) => line.includes('page failed'))).toEqual([]);
  });
});
