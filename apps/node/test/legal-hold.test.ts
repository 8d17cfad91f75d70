import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { executionRequest } from '@cer/cer-core/testing';
import { Secret } from '@cer/http-service/config';

import { ask, at, textAt, type Answer } from './ask.js';
import { startTestNode, type TestNode } from './test-node.js';

const SECRET = 'a secret of the test node';
const headers = { 'x-admin-secret': SECRET };
const UNKNOWN = `sha256:${'0'.repeat(64)}`;

let node: TestNode;
let key: string;
let tenantId: string;

beforeAll(async () => {
  node = await startTestNode({ replace: () => ({ adminSecret: new Secret(SECRET) }) });
  key = await node.newKey('held');
  ({ tenantId } = await node.store.tenants.createTenant('held'));
});
afterAll(() => node.close());

const admin = (path: string, body?: unknown): Promise<Answer> =>
  ask(node, 'post', `/v1/admin/${path}`, { headers, ...(body !== undefined && { body }) });

async function certified(as = key, executionId: string = randomUUID()): Promise<string> {
  const body = executionRequest({ executionId });
  return textAt((await ask(node, 'post', '/v1/cer/ai/certify', { key: as, body })).body, 'certificateHash');
}
const lookup = async (hash: string): Promise<number> =>
  (await ask(node, 'get', `/v1/cer/public?certificate_hash=${hash}`)).status;

describe('a legal hold', () => {
  it('blocks deletion but not hiding until released', async () => {
    const hash = await certified();
    expect(await admin(`records/${hash}/hold`)).toMatchObject({
      status: 200,
      body: { ok: true, hash, held: 1, auditSeq: expect.any(Number) },
    });
    const refused = await admin(`records/${hash}/delete`);
    expect([refused.status, refused.body]).toEqual([
      409,
      {
        error: 'LEGAL_HOLD',
        message: 'a legal hold keeps the records under this hash',
        requestId: refused.headers['x-request-id'],
      },
    ]);
    expect((await admin(`records/${hash}/hide`)).status).toBe(200);
    expect((await admin(`records/${hash}/unhide`)).status).toBe(200);
    expect(await lookup(hash)).toBe(200);
    expect((await admin(`records/${hash}/release`)).body).toMatchObject({ held: 0 });
    expect(await admin(`records/${hash}/delete`)).toMatchObject({ status: 200, body: { changed: 1, held: 0 } });
    expect(await lookup(hash)).toBe(404);
  });

  it('on a tenant protects only its records', async () => {
    const hash = await certified();
    const executionId = randomUUID();
    const shared = await certified(key, executionId);
    expect(await certified(await node.newKey(), executionId)).toBe(shared);
    const settings = `tenants/${tenantId}/settings`;
    expect((await admin(settings, { legalHold: true })).status).toBe(200);
    expect((await admin(`records/${hash}/delete`)).status).toBe(409);
    expect((await admin(`records/${hash}/delete`, { tenant: tenantId })).status).toBe(409);
    expect(await admin(`records/${shared}/delete`)).toMatchObject({ status: 200, body: { changed: 1, held: 1 } });
    expect(await lookup(shared)).toBe(200);
    expect((await admin(settings, { legalHold: false })).status).toBe(200);
    expect((await admin(`records/${hash}/delete`)).status).toBe(200);
  });

  it('is logged and requires an existing record', async () => {
    const hash = await certified();
    const { body } = await admin(`records/${hash}/hold`, { tenant: tenantId });
    const seq = Number(at(body, 'auditSeq'));
    await admin(`records/${hash}/release`, { tenant: tenantId });
    const log = await ask(node, 'get', `/v1/admin/audit?after=${seq - 1}`, { headers });
    const acts = (at(log.body, 'entries') as { entry: object }[]).map(({ entry }) => entry);
    expect(acts).toMatchObject([
      { act: 'records.hold', target: hash, details: { tenant: tenantId } },
      { act: 'records.release', target: hash, details: { tenant: tenantId } },
    ]);
    for (const act of ['hold', 'release']) {
      expect((await admin(`records/${UNKNOWN}/${act}`)).status).toBe(404);
      expect((await admin(`projects/${hash}/${act}`)).status).toBe(404);
      expect((await admin(`records/nonsense/${act}`)).status).toBe(400);
      expect((await admin(`records/${hash}/${act}`, { tenat: tenantId })).status).toBe(400);
      expect((await ask(node, 'post', `/v1/admin/records/${hash}/${act}`)).status).toBe(401);
    }
  });
});
