import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isJsonObject, type JsonObject } from '@cer/canonical-json';
import { buildProject } from '@cer/cer-core/seal';
import { CONFIDENTIAL_MEMBERS, executionRequest, sealed } from '@cer/cer-core/testing';
import { Secret } from '@cer/http-service/config';

import { cachedKeyDirectory } from '../src/auth/key-directory.js';
import { createSettingsMemory } from '../src/tenants/settings-memory.js';
import { ask, at, objectAt, textAt, type Answer } from './ask.js';
import { startTestNode, type TestNode } from './test-node.js';

const SECRET = 'a secret of the test node';
const headers = { 'x-admin-secret': SECRET };
const DEFAULTS = {
  publish: { context: true, prompt: false, instruction: false, metadata: 'none' },
  ...{ retentionDays: null, visibility: 'public', legalHold: false },
};

let node: TestNode;

beforeAll(async () => {
  node = await startTestNode({ replace: () => ({ adminSecret: new Secret(SECRET) }) });
});
afterAll(() => node.close());

const pathOf = (tenantId: string): string => `/v1/admin/tenants/${tenantId}/settings`;
const read = (tenantId: string): Promise<Answer> => ask(node, 'get', pathOf(tenantId), { headers });
const change = (tenantId: string, body: unknown): Promise<Answer> =>
  ask(node, 'post', pathOf(tenantId), { headers, body });
const newTenant = async (name = randomUUID()): Promise<string> =>
  (await node.store.tenants.createTenant(name)).tenantId;

describe('settings of a tenant', () => {
  it('start with defaults and log each change', async () => {
    const tenantId = await newTenant();
    expect(await read(tenantId)).toMatchObject({
      status: 200,
      body: { ok: true, tenantId, settings: DEFAULTS, stated: { node: null, controlPlane: null } },
    });
    const first = await change(tenantId, { retentionDays: 30, publish: { prompt: true, metadata: ['team'] } });
    expect(first.status).toBe(200);
    const second = await change(tenantId, { visibility: 'hidden', legalHold: true });
    const settings = {
      publish: { ...DEFAULTS.publish, prompt: true, metadata: ['team'] },
      ...{ retentionDays: 30, visibility: 'hidden', legalHold: true },
    };
    expect(at(second.body, 'settings')).toEqual(settings);
    expect((await read(tenantId)).body).toMatchObject({ settings, stated: { controlPlane: null } });
    const back = await change(tenantId, { retentionDays: null, publish: null, visibility: null, legalHold: false });
    expect(at(back.body, 'settings')).toEqual(DEFAULTS);

    const after = Number(at(first.body, 'auditSeq')) - 1;
    const log = await ask(node, 'get', `/v1/admin/audit?after=${after}&limit=2`, { headers });
    expect([at(log.body, 'entries', 0, 'entry'), at(log.body, 'entries', 1, 'entry')]).toMatchObject([
      {
        ...{ act: 'tenants.settings', target: tenantId, seq: at(first.body, 'auditSeq') },
        actor: expect.stringMatching(/^admin@/),
        details: { retentionDays: 30, publish: { prompt: true, metadata: ['team'] } },
      },
      { seq: at(second.body, 'auditSeq'), details: { visibility: 'hidden', legalHold: true } },
    ]);
  });

  it('of the control plane apply to unset members', async () => {
    const tenantId = randomUUID();
    const remember = createSettingsMemory({ store: node.store, auditLog: node.deps.auditLog });
    expect((await read(tenantId)).status).toBe(404);
    const said = { publishJson: '{"context":false,"prompt":true}', retentionDays: 7, visibility: 'hidden' } as const;
    expect(await remember(tenantId, { ...said, legalHold: true })).toMatchObject({ visibility: 'hidden' });
    const last = await node.store.audit.last();
    expect(JSON.parse(last?.entryJson ?? '{}')).toMatchObject({ actor: 'control-plane', target: tenantId });
    await remember(tenantId, { ...said, legalHold: true });
    expect((await node.store.audit.last())?.seq).toBe(last?.seq);

    const changed = await change(tenantId, { retentionDays: 90, publish: { prompt: false }, visibility: 'public' });
    expect(at(changed.body, 'settings')).toEqual({
      publish: { ...DEFAULTS.publish, context: false, prompt: false },
      ...{ retentionDays: 90, visibility: 'public', legalHold: true },
    });
    expect(await remember(tenantId, null)).toMatchObject({ retentionDays: 90, legalHold: true });
    expect(await remember(tenantId, { ...said, legalHold: false })).toMatchObject({ legalHold: false });
  });

  it.each<[string, unknown]>([
    ['nothing', {}],
    ['no object', []],
    ['an unknown member', { retention: 1 }],
    ['no days', { retentionDays: 0 }],
    ['half a day', { retentionDays: 0.5 }],
    ['days as text', { retentionDays: '30' }],
    ['too many days', { retentionDays: 36_501 }],
    ['another visibility', { visibility: 'visible' }],
    ['an invalid hold', { legalHold: null }],
    ['an unknown member of publish', { publish: { promt: true } }],
    ['odd metadata', { publish: { metadata: 'some' } }],
    ['no metadata names', { publish: { metadata: [] } }],
    ['a name that cannot be stored', { publish: { metadata: ['\u0000'] } }],
    ['a lone surrogate', '{"publish":{"metadata":["\\ud800"]}}'],
  ])('are not changed by %s', async (_name, body) => {
    const tenantId = await newTenant();
    const answer = await change(tenantId, body);
    expect([answer.status, at(answer.body, 'error')]).toEqual([400, 'VALIDATION_ERROR']);
    expect(at((await read(tenantId)).body, 'settings')).toEqual(DEFAULTS);
  });

  it('states the rule for a refused metadata name', async () => {
    const { body } = await change(await newTenant(), { publish: { metadata: ['team', '\u0000'] } });
    expect(at(body, 'details')).toEqual([
      'publish.metadata[1]: must have 1 to 256 characters, without control characters and lone surrogates',
    ]);
  });

  it('are read by the tenant itself, with those of the administrator', async () => {
    const name = randomUUID();
    const tenantId = await newTenant(name);
    const own = async (scope: 'audit' | 'certify'): Promise<Answer> =>
      ask(node, 'get', '/v1/settings', { key: await node.newKey(name, [scope]) });
    expect((await own('certify')).body).toEqual({
      ...{ ok: true, settings: DEFAULTS, stated: { node: null, controlPlane: null } },
    });
    await change(tenantId, { retentionDays: 30 });
    const answer = await own('audit');
    expect(answer).toMatchObject({
      status: 200,
      headers: { 'cache-control': 'no-store' },
      body: { settings: { ...DEFAULTS, retentionDays: 30 }, stated: { node: { retentionDays: 30 } } },
    });
    expect(answer.body).not.toHaveProperty('tenantId');
  });

  it('require the secret and a known tenant', async () => {
    const tenantId = await newTenant();
    expect((await ask(node, 'get', pathOf(tenantId))).status).toBe(401);
    expect((await ask(node, 'post', pathOf(tenantId), { body: { legalHold: true } })).status).toBe(401);
    expect((await change('nobody', { legalHold: true })).status).toBe(404);
    expect(await node.store.tenantSettings.knows('nobody')).toBe(false);
  });
});

describe('a tenant that is hidden by default', () => {
  let key: string;
  let tenantId: string;

  beforeAll(async () => {
    const name = randomUUID();
    tenantId = await newTenant(name);
    await change(tenantId, { visibility: 'hidden' });
    key = await node.newKey(name);
  });

  async function publicStatus(hash: string): Promise<number[]> {
    const paths = ['/v1/cer/public', '/api/public-cer-proof'].map((path) => `${path}?certificate_hash=${hash}`);
    return (await Promise.all(paths.map((path) => ask(node, 'get', path)))).map(({ status }) => status);
  }

  it.each<[string, () => { path: string; body: unknown; isBatch?: true }]>([
    ['certify', () => ({ path: '/v1/cer/ai/certify', body: executionRequest({ executionId: randomUUID() }) })],
    [
      'a confidential certify',
      () => ({
        path: '/v1/cer/ai/certify',
        body: executionRequest({ ...CONFIDENTIAL_MEMBERS, executionId: randomUUID() }),
      }),
    ],
    ['attest', () => ({ path: '/api/attest', body: sealed({ executionId: randomUUID() }).bundle })],
    [
      'attest of a hash',
      () => ({
        path: '/api/attest',
        body: {
          ...{ bundleType: 'hash-only-timestamp', version: '0.1', createdAt: null, snapshot: null },
          certificateHash: textAt(sealed({ executionId: randomUUID() }).bundle, 'certificateHash'),
        },
      }),
    ],
  ])('hides the record of %s and replays it', async (_name, question) => {
    const { path, body } = question();
    const answer = await ask(node, 'post', path, { key, body });
    expect(answer.status).toBe(200);
    const hash = textAt(answer.body, 'certificateHash');
    expect(await publicStatus(hash)).toEqual([404, 404]);
    const again = await ask(node, 'post', path, { key, body });
    expect([again.status, again.headers['x-idempotent-replay'], at(again.body, 'certificateHash')]).toEqual([
      ...[200, 'true', hash],
    ]);
    const own = await ask(node, 'get', '/v1/records?limit=1', { key });
    expect(at(own.body, 'records', 0)).toMatchObject({ certificateHash: hash, status: 'hidden' });
    await ask(node, 'post', `/v1/admin/records/${hash}/unhide`, { headers, body: { tenant: tenantId } });
    expect(await publicStatus(hash)).toEqual([200, 200]);
  });

  it('hides at once on every node', async () => {
    const name = randomUUID();
    const changing = await newTenant(name);
    const other = await startTestNode({
      database: node.database,
      // Like a node with a control plane, which caches the accounts of keys.
      replace: ({ keys }) => ({ keys: cachedKeyDirectory(keys, { foundMs: 3_600_000, unknownMs: 0 }, Date.now) }),
    });
    try {
      const ownKey = await node.newKey(name);
      const certified = async (): Promise<number[]> => {
        const body = executionRequest({ executionId: randomUUID() });
        const answer = await ask(other, 'post', '/v1/cer/ai/certify', { key: ownKey, body });
        return publicStatus(textAt(answer.body, 'certificateHash'));
      };
      expect(await certified()).toEqual([200, 200]);
      expect((await change(changing, { visibility: 'hidden' })).status).toBe(200);
      expect(await certified()).toEqual([404, 404]);
      expect((await change(changing, { visibility: null })).status).toBe(200);
      expect(await certified()).toEqual([200, 200]);
    } finally {
      await other.close();
    }
  });

  it('hides every record of a batch', async () => {
    const lines = [1, 2, 3].map(() => JSON.stringify(executionRequest({ executionId: randomUUID() }))).join('\n');
    const answer = await ask(node, 'post', '/v1/cer/ai/certify-batch', {
      key,
      body: lines,
      headers: { 'Content-Type': 'application/x-ndjson' },
    });
    const hashes = answer.text
      .trim()
      .split('\n')
      .map((line) => textAt(JSON.parse(line), 'body', 'certificateHash'));
    expect(hashes).toHaveLength(3);
    for (const hash of hashes) expect(await publicStatus(hash)).toEqual([404, 404]);
  });

  it('registers hidden projects and replays them', async () => {
    const body = executionRequest({ executionId: randomUUID() });
    const cer = objectAt((await ask(node, 'post', '/v1/cer/ai/certify', { key, body })).body, 'cer');
    const project = projectOf(cer);
    const registered = await ask(node, 'post', '/v1/project-bundle/register', { key, body: project });
    expect(registered.status).toBe(200);
    const hash = textAt(registered.body, 'projectHash');
    const path = `/v1/project-bundle/public?project_hash=${hash}`;
    expect((await ask(node, 'get', path)).status).toBe(404);
    expect((await ask(node, 'post', '/v1/project-bundle/register', { key, body: project })).text).toBe(registered.text);
    await ask(node, 'post', `/v1/admin/projects/${hash}/unhide`, { headers });
    expect(at((await ask(node, 'get', path)).body, 'withdrawn')).toEqual(['step-0']);
  });
});

function projectOf(bundle: unknown): JsonObject {
  if (!isJsonObject(bundle)) throw new Error('no bundle');
  return buildProject({ projectBundleId: randomUUID(), projectTitle: 'A project' }, [{ stepId: 'step-0', bundle }]);
}
