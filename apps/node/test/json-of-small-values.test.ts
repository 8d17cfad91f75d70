import { executionRequest } from '@cer/cer-core/testing';
import { sqliteTestDatabase, type TestDatabase } from '@cer/sql-store/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { premisesOn, startNodeProcess, type NodeProcess, type Premises } from './node-process.js';

const MIB = 1024 * 1024;
/** So small that few megabytes of JSON fill it. */
const HEAP = '--max-old-space-size=96';
const BODY_BYTES = 5 * MIB;

let database: TestDatabase;
let premises: Premises;
let node: NodeProcess;

async function post(path: string, body: string): Promise<{ readonly status: number; readonly body: unknown }> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${premises.key}` };
  const answer = await fetch(node.url + path, { method: 'POST', headers, body });
  return { status: answer.status, body: await answer.json() };
}

const NESTED = `${'['.repeat(100)}${']'.repeat(100)}`;
const ARRAYS = `[${`${NESTED},`.repeat(BODY_BYTES / NESTED.length)}0]`;

// V8's own limit includes young objects, which these settings change.
describe.each([HEAP, `${HEAP} --max-semi-space-size=32`])('a node with %s', (launch) => {
  beforeAll(async () => {
    database = await sqliteTestDatabase();
    premises = await premisesOn(database);
    node = await startNodeProcess({ ...premises.env, NODE_OPTIONS: launch });
  });
  afterAll(async () => {
    premises.remove();
    await node.ended;
    await database.remove();
  });

  it.each([
    ['/v1/cer/verify', `{"snapshot":${ARRAYS}}`],
    ['/v1/project-bundle/verify', `{"stepRegistry":${ARRAYS}}`],
    ['/v1/project-bundle/register', `{"stepRegistry":${ARRAYS}}`],
    ['/v1/cer/ai/certify', JSON.stringify(executionRequest({ input: 'here' })).replace('"here"', ARRAYS)],
  ])('refuses JSON that its memory cannot hold: %s', async (path, body) => {
    expect(await post(path, body)).toMatchObject({ status: 413, body: { error: 'PAYLOAD_TOO_LARGE' } });
    expect((await fetch(`${node.url}/health`)).status).toBe(200);
  });

  it('certifies a text of the same size', async () => {
    const body = JSON.stringify(executionRequest({ input: 'text '.repeat(BODY_BYTES / 5) }));
    expect((await post('/v1/cer/ai/certify', body)).status).toBe(200);
  });
});
