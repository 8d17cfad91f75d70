import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Secret } from '@cer/http-service/config';
import { executionRequest } from '@cer/cer-core/testing';
import { sqliteTestDatabase } from '@cer/sql-store/testing';

import { ask, at, textAt, type Answer } from './ask.js';
import { startTestNode, type TestNode } from './test-node.js';

const SECRET = 'a secret of the test node';
const headers = { 'x-admin-secret': SECRET };
const UNKNOWN = `sha256:${'0'.repeat(64)}`;

let node: TestNode;
let folder: string;
let key: string;

beforeAll(async () => {
  const database = await sqliteTestDatabase();
  folder = dirname(database.path);
  node = await startTestNode({ database, replace: () => ({ adminSecret: new Secret(SECRET) }) });
  key = await node.newKey();
});
afterAll(async () => {
  await node.close();
  await node.database.remove();
});

const certify = (members: object): Promise<Answer> =>
  ask(node, 'post', '/v1/cer/ai/certify', { key, body: executionRequest({ ...members }) });
const admin = (path: string, body?: unknown): Promise<Answer> =>
  ask(node, 'post', `/v1/admin/${path}`, { headers, ...(body !== undefined && { body }) });

/** Every public response that could contain a record. */
async function publicAnswers(hash: string, executionId: string): Promise<number[]> {
  const paths = [
    `/v1/cer/public?certificate_hash=${hash}`,
    `/v1/cer/public?execution_id=${executionId}`,
    `/api/public-cer-proof?certificate_hash=${hash}`,
  ];
  const answers = await Promise.all(paths.map((path) => ask(node, 'get', path)));
  const own = await ask(node, 'get', `/v1/cer/public?execution_id=${executionId}`, { key });
  return [...answers, own].map(({ status }) => status);
}

describe('administrative visibility', () => {
  it('hides from every public response and unhides', async () => {
    const hash = textAt((await certify({ executionId: 'hidden' })).body, 'certificateHash');
    expect(await publicAnswers(hash, 'hidden')).toEqual([200, 200, 200, 200]);
    expect(await admin(`records/${hash}/hide`)).toMatchObject({ status: 200, body: { changed: 1 } });
    expect(await publicAnswers(hash, 'hidden')).toEqual([404, 404, 404, 404]);
    expect((await admin(`records/${hash}/unhide`)).status).toBe(200);
    expect(await publicAnswers(hash, 'hidden')).toEqual([200, 200, 200, 200]);
  });

  it('deletes every stored byte and logs it', async () => {
    const canary = 'canary-of-a-deleted-record';
    const first = await certify({ executionId: 'gone', model: canary, appId: `${canary}-app` });
    const hash = textAt(first.body, 'certificateHash');
    const bytes = (): string =>
      readdirSync(folder)
        .map((name) => readFileSync(join(folder, name), 'latin1'))
        .join('');
    expect(bytes()).toContain(canary);
    expect(await admin(`records/${hash}/delete`, {})).toMatchObject({ status: 200, body: { changed: 1 } });
    expect(bytes()).not.toContain(canary);
    expect(await publicAnswers(hash, 'gone')).toEqual([404, 404, 404, 404]);
    expect(await certify({ executionId: 'gone', model: canary, appId: `${canary}-app` })).toMatchObject({
      status: 409,
      body: { error: 'RECORD_REMOVED' },
    });
    expect(await certify({ executionId: 'gone', model: 'another' })).toMatchObject({
      status: 409,
      body: { error: 'EXECUTION_MUTATION_DETECTED' },
    });
    expect((await admin(`records/${hash}/unhide`)).status).toBe(404);

    const log = await ask(node, 'get', '/v1/admin/audit?limit=1000', { headers });
    const acts = (at(log.body, 'entries') as { entry: { act: string; target: string } }[]).map(({ entry }) => entry);
    expect(acts).toContainEqual(expect.objectContaining({ act: 'records.delete', target: hash }));
  });

  it('rejects unknown hashes, tenants, bodies and secrets', async () => {
    expect((await admin(`records/${UNKNOWN}/delete`)).status).toBe(404);
    expect((await admin(`projects/${UNKNOWN}/hide`)).status).toBe(404);
    expect((await admin('records/nonsense/hide')).status).toBe(400);
    expect((await admin(`records/${UNKNOWN}/hide`, { tennant: 'x' })).status).toBe(400);
    expect((await ask(node, 'post', `/v1/admin/records/${UNKNOWN}/hide`)).status).toBe(401);
    const hash = textAt((await certify({ executionId: 'kept' })).body, 'certificateHash');
    expect((await admin(`records/${hash}/hide`, { tenant: 'another' })).status).toBe(404);
    expect((await ask(node, 'get', `/v1/cer/public?certificate_hash=${hash}`)).status).toBe(200);
  });

  it('names the tenant that the audit log cannot hold', async () => {
    const { status, body } = await admin(`records/${UNKNOWN}/hide`, { tenant: '\ud800' });
    expect([status, at(body, 'details')]).toEqual([400, ['tenant: must not contain a lone surrogate']]);
  });
});

describe('the pages of the audit log', () => {
  it('have the same entries as lines and as OTLP logs', async () => {
    const hash = textAt((await certify({ executionId: 'for-collectors' })).body, 'certificateHash');
    for (const act of ['hide', 'unhide', 'hide']) await admin(`records/${hash}/${act}`);
    const page = async (format: string, after: number): Promise<string> =>
      (await ask(node, 'get', `/v1/admin/audit?limit=2&after=${after}&format=${format}`, { headers })).text;
    const lines = async (after: number): Promise<readonly Logged[]> =>
      (await page('ndjson', after))
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Logged);
    const all: Logged[] = [];
    for (;;) {
      const found = await lines(all.at(-1)?.entry.seq ?? 0);
      if (found.length === 0) break;
      const logs: unknown = JSON.parse(await page('otlp', all.at(-1)?.entry.seq ?? 0));
      const expected = found.map(({ entry }) => expect.objectContaining({ eventName: entry.act }) as unknown);
      const chain = found
        .filter(({ entry }) => entry.prevHash !== null)
        .map(({ entry }) => JSON.stringify({ key: 'prevHash', value: { stringValue: entry.prevHash } }));
      for (const link of chain) expect(JSON.stringify(logs)).toContain(link);
      expect(logs).toMatchObject({
        resourceLogs: [{ scopeLogs: [{ scope: { name: 'audit' }, logRecords: expected }] }],
      });
      all.push(...found);
    }
    expect(all.slice(-3).map(({ entry }) => entry.act)).toEqual(['records.hide', 'records.unhide', 'records.hide']);
    expect(all.map(({ entry }) => entry.seq)).toEqual(all.map((_, at) => at + 1));
  });

  it.each([
    ['limit=1001', 'limit: must be a whole number from 1 to 1000'],
    ['limit=0', 'limit: must be a whole number from 1 to 1000'],
    ['after=-1', 'after: must be a whole number'],
    ['before=1', 'query: has unknown members: before'],
  ])('are refused for %s', async (query, message) => {
    const { status, body } = await ask(node, 'get', `/v1/admin/audit?${query}`, { headers });
    expect([status, at(body, 'message')]).toEqual([400, message]);
  });
});

/** A line of the audit log. */
interface Logged {
  readonly entry: { readonly seq: number; readonly prevHash: string | null; readonly act: string };
}
