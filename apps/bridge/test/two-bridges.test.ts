import { postgresTestDatabase, type TestDatabase } from '@cer/sql-store/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { handoffToken, startStubControlPlane, type StubControlPlane } from './stub-control-plane.js';
import { sendHandoff, startTestBridge, type TestBridge } from './test-bridge.js';

const PUBLIC_URL = 'https://bridge.example';
const NODE_GONE = 'http://127.0.0.1:9';

let controlPlane: StubControlPlane;
let database: TestDatabase;
let one: TestBridge;
let two: TestBridge;

beforeAll(async () => {
  controlPlane = await startStubControlPlane();
  database = await postgresTestDatabase();
  const shared = {
    nodeUrl: NODE_GONE,
    controlPlaneUrl: controlPlane.url,
    databaseUrl: database.url,
    replace: () => ({ publicUrl: PUBLIC_URL }),
  };
  [one, two] = await Promise.all([startTestBridge(shared), startTestBridge(shared)]);
});
afterAll(async () => {
  await one.close();
  await two.close();
  await database.remove();
  await controlPlane.close();
});

/** Reads events until one holds the text, or the stream ends. */
async function eventWith(response: Response, wanted: string): Promise<string> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  while (!text.includes(wanted)) {
    const chunk = await reader?.read();
    if (chunk === undefined || chunk.done) return text;
    text += decoder.decode(chunk.value, { stream: true });
  }
  await reader?.cancel();
  return text;
}

describe('two bridges behind one address, on one database', () => {
  it('show and end each other’s sessions live', async () => {
    const tenant = controlPlane.newTenant();
    const user = controlPlane.newUser(tenant);
    const token = handoffToken(controlPlane, {
      tenantId: tenant.tenantId,
      userId: user.id,
      audience: new URL(PUBLIC_URL).host,
    });
    const signedIn = await sendHandoff(one.url, token, PUBLIC_URL);
    expect(signedIn.status).toBe(200);
    const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
    const watch = (at: TestBridge): Promise<Response> => fetch(`${at.url}/events`, { headers: { cookie } });
    const key = controlPlane.newKey(tenant);
    for (const [sent, seen] of [
      [one, two],
      [two, one],
    ] as const) {
      const model = `model-of-${new URL(sent.url).port}`;
      const watching = await watch(seen);
      const answer = await fetch(`${sent.url}/api/v1/ingest/executions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ executionId: 'e', provider: 'p', model, input: 'i', output: 'o' }),
      });
      expect(answer.status).toBe(503);
      expect(await eventWith(watching, model)).toContain(model);
    }
    const ending = await watch(two);
    await fetch(`${one.url}/api/v1/auth/logout`, { method: 'POST', headers: { origin: PUBLIC_URL, cookie } });
    expect(await eventWith(ending, 'event: ended')).toContain('event: ended');
  });

  it('count requests per minute together', async () => {
    const limits = { requestsPerMinute: 4, executionsPerMonth: null };
    const key = controlPlane.newKey(controlPlane.newTenant({ limits }));
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async (_, at) => {
        const { url } = at % 2 === 0 ? one : two;
        const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
        return (await fetch(`${url}/api/v1/ingest/executions`, { method: 'POST', headers, body: '{}' })).status;
      }),
    );
    // Two of them may fall into different minutes.
    const admitted = statuses.filter((status) => status !== 429).length;
    expect([4, 5, 6, 7, 8]).toContain(admitted);
  });

  it('keep no API key in any table', async () => {
    const key = controlPlane.newKey(controlPlane.newTenant());
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const answer = await fetch(`${one.url}/api/v1/ingest/executions`, { method: 'POST', headers, body: '{}' });
    const page = await fetch(`${one.url}/`);
    const { Client } = (await import('pg')).default;
    const client = new Client(database.url);
    await client.connect();
    const tables = await client.query<{ name: string }>(
      "select table_name as name from information_schema.tables where table_schema = 'public'",
    );
    expect(tables.rows.length).toBeGreaterThan(5);
    let dumped = '';
    for (const { name } of tables.rows) {
      dumped += JSON.stringify((await client.query(`select * from ${client.escapeIdentifier(name)}`)).rows);
    }
    await client.end();
    for (const text of [dumped, await answer.text(), await page.text(), ...one.log, ...two.log]) {
      expect(text).not.toContain(key);
      expect(text).not.toContain(key.slice('cer_live_'.length));
    }
  });
});
