import { setTimeout as sleep } from 'node:timers/promises';
import { executionRequest } from '@cer/cer-core/testing';
import { CONTROL_PLANE_TIMES } from '@cer/control-plane';
import { postgresTestDatabase, sqliteTestDatabase, type TestDatabase } from '@cer/sql-store/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { ask, type Answer } from './ask.js';
import { startDashboardProcess, type Dashboard } from './dashboard-process.js';
import { premisesOn, startNodeProcess, type NodeProcess, type Premises } from './node-process.js';

/** Where the dashboard believes to be served, which its forms must come from. */
const ORIGIN = 'http://localhost:4400';

let dashboard: Dashboard;
const cookies = new Map<string, string>();
let page = '';

/** One request of the owner's browser. */
async function browse(
  method: 'get' | 'post',
  path: string,
  fields?: Readonly<Record<string, string>>,
): Promise<Answer> {
  const formToken = /name="form_token" value="([^"]+)"/.exec(page)?.[1] ?? '';
  const answer = await ask(dashboard, method, path, {
    headers: {
      Accept: 'text/html',
      Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      ...(fields !== undefined && { Origin: ORIGIN, 'Content-Type': 'application/x-www-form-urlencoded' }),
    },
    ...(fields !== undefined && { body: new URLSearchParams({ form_token: formToken, ...fields }).toString() }),
  });
  for (const cookie of [answer.headers['set-cookie']].flat()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie ?? '') ?? [];
    if (name !== '') cookies.set(name, value);
  }
  page = answer.text;
  return answer;
}

describe.each<[string, () => Promise<TestDatabase>]>([
  ['SQLite', sqliteTestDatabase],
  ['PostgreSQL', postgresTestDatabase],
])('a key revoked in the dashboard, on %s', (name, makeDatabase) => {
  let database: TestDatabase;
  let premises: Premises;
  let nodes: readonly NodeProcess[];

  beforeAll(async () => {
    dashboard = await startDashboardProcess();
    cookies.clear();
    database = await makeDatabase();
    premises = await premisesOn(database);
    const env = { ...premises.env, ...dashboard.env };
    nodes = [await startNodeProcess(env), await startNodeProcess(env)];
  });
  afterAll(async () => {
    for (const node of nodes) {
      node.kill('SIGTERM');
      await node.ended;
    }
    await dashboard.stop();
    premises.remove();
    await database.remove();
  });

  it('stops on every node', async () => {
    const key = await dashboard.newKey();
    const statuses = (): Promise<readonly number[]> =>
      Promise.all(
        nodes.map(async (node) => {
          const answer = await ask(node, 'post', '/v1/cer/ai/create', { key, body: executionRequest() });
          return answer.status;
        }),
      );
    expect(await statuses()).toEqual([200, 200]);

    const link = await dashboard.command('owner', 'create', '--tenant', 'Acme', '--email', `${name}@example.org`);
    const path = /\/link\/[\w-]{43}/.exec(link)?.[0] ?? '';
    await browse('get', path);
    expect((await browse('post', path, { password: 'correct horse battery staple' })).status).toBe(303);
    const [newest] = /\/keys\/[\w-]+\/revoke/.exec((await browse('get', '/keys')).text) ?? [];
    await browse('get', newest ?? '');
    expect((await browse('post', newest ?? '', {})).headers['location']).toBe('/keys?done=key-revoked');

    // A node asks the dashboard again after this time; a request that waits for it is in no cache.
    expect(CONTROL_PLANE_TIMES.foundMs).toBeLessThanOrEqual(2000);
    while ((await statuses()).some((status) => status !== 401)) await sleep(100);
    expect(await statuses()).toEqual([401, 401]);
  });
});
