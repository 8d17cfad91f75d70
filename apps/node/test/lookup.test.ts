import { createHash, createPublicKey, randomUUID, verify } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@cer/canonical-json';
import { evaluateCer } from '@cer/cer-core/verify';
import { CONFIDENTIAL_MEMBERS, executionRequest, TEST_NODE_ID, TEST_SIGNER, testKeys } from '@cer/cer-core/testing';

import { ask, at, objectAt, textAt, type Answer } from './ask.js';
import { startTestNode, VERIFY_URL, type TestNode } from './test-node.js';

let node: TestNode;
let key: string;

beforeAll(async () => {
  node = await startTestNode();
  key = await node.newKey('first');
});
afterAll(() => node.close());

async function certified(members: JsonObject = {}, as = key): Promise<Answer> {
  const body = executionRequest({ executionId: randomUUID(), ...members });
  const answer = await ask(node, 'post', '/v1/cer/ai/certify', { key: as, body });
  expect(answer.status).toBe(200);
  return answer;
}
const byHash = (hash: string, name = 'certificate_hash'): Promise<Answer> =>
  ask(node, 'get', `/v1/cer/public?${name}=${encodeURIComponent(hash)}`);
const byId = (id: string, as?: string): Promise<Answer> =>
  ask(node, 'get', `/v1/cer/public?execution_id=${encodeURIComponent(id)}`, as === undefined ? {} : { key: as });
const proofOf = (hash: string): Promise<Answer> =>
  ask(node, 'get', `/api/public-cer-proof?certificate_hash=${encodeURIComponent(hash)}`);
const digest = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;

/** The parts of a response that are constant. */
function lasting(headers: Answer['headers']): unknown[] {
  return Object.entries(headers).filter(([name]) => !['x-request-id', 'date', 'content-length'].includes(name));
}

async function statusOf(cer: unknown): Promise<string> {
  return (await evaluateCer(cer, { keySet: testKeys(), verifiedAt: new Date().toISOString() })).status;
}

describe('the public record', () => {
  it('has the documented members and verifies with openssl', async () => {
    const made = await certified({ metadata: { secret: 'canary' }, signals: [] });
    const hash = textAt(made.body, 'certificateHash');
    const { status, headers, body, text } = await byHash(hash);
    const { requestId, ...summary } = objectAt(made.body, 'attestation');
    const { certificateHash, createdAt, protocolVersion, receipt, signature, timestamp } = objectAt(made.body);
    const canonicalReceipt = textAt(body, 'canonical', 'receipt', 'canonicalPayload');
    const kid = TEST_SIGNER.kid;
    const { meta, ...bundle } = objectAt(made.body, 'cer');
    expect(status).toBe(200);
    expect(requestId).toBeDefined();
    expect(body).toEqual({
      ok: true,
      ...{ certificateHash, bundleType: 'cer.ai.execution.v1', createdAt, protocolVersion, status: 'ATTESTED' },
      ...{ attestation: summary, receipt, signature, kid, nodeId: TEST_NODE_ID, timestamp },
      cer: { ...bundle, meta: { attestation: at(meta, 'attestation') } },
      canonical: {
        certificate: {
          profile: 'svc-v1',
          canonicalPayload: at(body, 'canonical', 'certificate', 'canonicalPayload'),
          certificateHash,
        },
        receipt: { canonicalPayload: canonicalReceipt, signature, kid },
      },
      verificationUrl: `${VERIFY_URL}/c/${hash.replace(':', '%3A')}`,
    });
    expect(digest(textAt(body, 'canonical', 'certificate', 'canonicalPayload'))).toBe(hash);
    const published = await ask(node, 'get', '/.well-known/svc-node.json');
    const der = Buffer.from(textAt(published.body, 'keys', 0, 'publicKey'), 'base64');
    const publicKey = createPublicKey({ key: der, format: 'der', type: 'spki' });
    expect(verify(null, Buffer.from(canonicalReceipt), publicKey, Buffer.from(String(signature), 'base64url'))).toBe(
      true,
    );
    expect(JSON.parse(canonicalReceipt)).toEqual(receipt);
    expect(headers['x-certificate-hash']).toBe(hash);
    expect(text).not.toContain('canary');
    for (const shown of [body, at(body, 'cer')]) expect(await statusOf(shown)).toBe('VERIFIED');
    expect((await byHash(hash, 'certificateHash')).text).toBe(text);
  });

  it('of a confidential execution is a verifiable reseal', async () => {
    const made = await certified({ ...CONFIDENTIAL_MEMBERS, prompt: 'canary prompt' });
    const hash = textAt(made.body, 'certificateHash');
    const { body, text } = await byHash(hash);
    expect(at(body, 'cer', 'bundleType')).toBe('signed-redacted-reseal');
    expect(at(body, 'cer', 'snapshot', 'prompt')).toBe('[REDACTED]');
    expect(at(body, 'cer', 'snapshot', 'input')).toEqual(at(made.body, 'cer', 'snapshot', 'input'));
    expect(at(body, 'receipt')).toEqual(at(made.body, 'receipt'));
    expect(at(body, 'bundleType')).toBe('cer.ai.execution.v1');
    for (const shown of [body, at(body, 'cer')]) expect(await statusOf(shown)).toBe('VERIFIED_CONFIDENTIAL');
    const resealed = textAt(body, 'resealedCertificateHash');
    expect(digest(textAt(body, 'canonical', 'certificate', 'canonicalPayload'))).toBe(resealed);
    expect((await byHash(resealed)).text).toBe(text);
    expect(text).not.toContain('canary');
    expect(text).not.toContain(textAt(made.body, 'openings', 'input', 'salt'));
  });

  it('has a proof with hashes in place of content', async () => {
    for (const members of [{}, CONFIDENTIAL_MEMBERS]) {
      const made = await certified(members);
      const hash = textAt(made.body, 'certificateHash');
      const { cer, canonical, ...rest } = objectAt((await byHash(hash)).body);
      const { status, body } = await proofOf(hash);
      expect(status).toBe(200);
      expect(body).toEqual({
        ...rest,
        inputHash: at(cer, 'snapshot', 'inputHash'),
        outputHash: at(cer, 'snapshot', 'outputHash'),
        canonical: { receipt: at(canonical, 'receipt') },
      });
    }
  });

  it('is the redirect target of /v1/resolve', async () => {
    for (const hash of [textAt((await certified()).body, 'certificateHash'), digest('nothing')]) {
      const { status, headers } = await ask(node, 'get', `/v1/resolve/cer/${encodeURIComponent(hash)}`);
      expect([status, headers['location']]).toEqual([
        302,
        `/v1/cer/public?certificate_hash=${encodeURIComponent(hash)}`,
      ]);
    }
    for (const hash of ['x', digest('x').toUpperCase(), `${digest('x')}%0d%0aX-Evil: 1`]) {
      const { status, body, headers } = await ask(node, 'get', `/v1/resolve/cer/${encodeURIComponent(hash)}`);
      expect([status, at(body, 'error'), headers['x-evil']]).toEqual([400, 'VALIDATION_ERROR', undefined]);
    }
  });
});

describe('a lookup by executionId', () => {
  it('returns the earliest record and lists others', async () => {
    const executionId = randomUUID();
    const other = await node.newKey();
    const mine = await certified({ executionId });
    const theirs = await certified({ executionId, output: 'other' }, other);
    const hashes = [mine, theirs].map(({ body }) => textAt(body, 'certificateHash'));
    const anyone = await byId(executionId);
    const record = objectAt((await byHash(hashes[0] ?? '')).body);
    expect(anyone.body).toEqual({ ...record, matchedBy: 'executionId', otherMatches: [hashes[1]] });
    const owner = await byId(executionId, other);
    expect(owner.body).toMatchObject({ certificateHash: hashes[1], otherMatches: [] });
    const camel = await ask(node, 'get', `/v1/cer/public?executionId=${executionId}`);
    expect(camel.text).toBe(anyone.text);
  });

  it('names at most 20 others', async () => {
    const executionId = randomUUID();
    for (let count = 0; count < 23; count += 1) {
      await certified({ executionId, output: `output ${count}` }, await node.newKey());
    }
    expect(at((await byId(executionId)).body, 'otherMatches')).toHaveLength(20);
  });

  it('refuses an invalid key on public routes', async () => {
    const executionId = textAt((await certified()).body, 'cer', 'snapshot', 'executionId');
    for (const authorization of ['Bearer cer_live_x', `Bearer cer_live_${'A'.repeat(43)}`, 'Basic eDp5', 'Bearer']) {
      const answer = await ask(node, 'get', `/v1/cer/public?execution_id=${executionId}`, {
        headers: { Authorization: authorization },
      });
      expect([answer.status, at(answer.body, 'error')]).toEqual([401, 'UNAUTHORIZED']);
    }
  });

  it.each(['__proto__', 'constructor', 'a b&c=d#e', 'ünï/cödé', '日本', '😀'.repeat(128), "' or '1'='1"])(
    'finds exactly the unusual id %j',
    async (executionId) => {
      const made = await certified({ executionId });
      expect((await byId(executionId)).body).toMatchObject({ certificateHash: at(made.body, 'certificateHash') });
      expect((await byId(`${executionId.slice(0, 200)}x`)).status).toBe(404);
    },
  );
});

describe('an invalid lookup', () => {
  it.each([
    ['nothing', ''],
    ['both', `certificate_hash=${digest('x')}&execution_id=x`],
    ['both, one in camel case', `certificate_hash=${digest('x')}&executionId=x`],
    ['one thing twice', `certificate_hash=${digest('x')}&certificate_hash=${digest('x')}`],
    ['one thing in both cases', `execution_id=x&executionId=x`],
    ['no hash', 'certificate_hash='],
    ['raw hex', `certificate_hash=${digest('x').slice(7)}`],
    ['upper case', `certificate_hash=${digest('x').toUpperCase()}`],
    ['an empty id', 'execution_id='],
    ['a long id', `execution_id=${'x'.repeat(257)}`],
    ['an id with NUL', 'execution_id=a%00b'],
    ['an id with a control character', 'execution_id=a%C2%85b'],
    ['a very long query', `certificate_hash=${'x'.repeat(12_000)}`],
  ])('is 400: %s', async (_name, query) => {
    const { status, body, text } = await ask(node, 'get', `/v1/cer/public?${query}`);
    expect([status, at(body, 'error')]).toEqual([400, 'VALIDATION_ERROR']);
    expect(text.length).toBeLessThan(500);
  });

  it('is 400 for the proof without a hash', async () => {
    expect((await ask(node, 'get', '/api/public-cer-proof?execution_id=x')).status).toBe(400);
    const hash = textAt((await certified()).body, 'certificateHash');
    expect((await ask(node, 'get', `/api/public-cer-proof?certificate_hash=${hash}&utm=1`)).status).toBe(200);
  });
});

describe('hidden, deleted and unknown records', () => {
  it('get the same 404, also for the owner', async () => {
    const [hidden, deleted] = [await certified(CONFIDENTIAL_MEMBERS), await certified()];
    const hiddenHash = textAt(hidden.body, 'certificateHash');
    const resealed = textAt((await byHash(hiddenHash)).body, 'resealedCertificateHash');
    await node.store.records.setVisibility(hiddenHash, 'hidden');
    await node.store.records.setVisibility(textAt(deleted.body, 'certificateHash'), 'deleted');
    const hashes = [hiddenHash, resealed, textAt(deleted.body, 'certificateHash'), digest('unknown')];
    const ids = [hidden, deleted].map(({ body }) => textAt(body, 'cer', 'snapshot', 'executionId'));
    const answers = await Promise.all([
      ...hashes.map((hash) => byHash(hash)),
      ...hashes.map(proofOf),
      ...[...ids, 'unknown'].flatMap((id) => [byId(id), byId(id, key)]),
    ]);
    for (const { status, headers, body } of answers) {
      expect(status).toBe(404);
      expect(body).toEqual({
        error: 'NOT_FOUND',
        reasonCode: 'RECORD_NOT_FOUND',
        requestId: headers['x-request-id'],
      });
      expect(lasting(headers)).toEqual(lasting(answers[0]?.headers ?? {}));
    }
    await node.store.records.setVisibility(hiddenHash, 'visible');
    expect((await byHash(hiddenHash)).status).toBe(200);
  });

  it('are replaced by another tenant’s record', async () => {
    const executionId = randomUUID();
    const other = await node.newKey();
    const [mine, theirs] = [await certified({ executionId }), await certified({ executionId }, other)];
    const hash = textAt(mine.body, 'certificateHash');
    expect((await byHash(hash)).body).toMatchObject({ signature: at(mine.body, 'signature') });
    const tenantId = (await node.store.tenants.findTenant('first'))?.tenantId ?? '';
    expect(await node.store.records.setVisibility(hash, 'hidden', tenantId)).toBe(1);
    expect((await byHash(hash)).body).toMatchObject({ signature: at(theirs.body, 'signature') });
    expect((await byId(executionId, key)).status).toBe(404);
  });
});

describe('the publication settings of a tenant', () => {
  it('control context, prompt, instruction and metadata', async () => {
    const open = await startTestNode({
      publish: { prompt: true, metadata: ['ticket'], context: false },
    });
    try {
      const body = executionRequest({
        ...{
          ...CONFIDENTIAL_MEMBERS,
          prompt: 'shown prompt',
          signals: [{ type: 't', source: 's', payload: { p: 'canary' } }],
        },
        metadata: { ticket: 'shown ticket', account: 'canary' },
      });
      const made = await ask(open, 'post', '/v1/cer/ai/certify', { key: await open.newKey(), body });
      const hash = textAt(made.body, 'certificateHash');
      const found = await ask(open, 'get', `/v1/cer/public?certificate_hash=${hash}`);
      expect(at(found.body, 'cer', 'snapshot', 'prompt')).toBe('shown prompt');
      expect(at(found.body, 'cer', 'meta', 'metadata')).toEqual({ ticket: 'shown ticket' });
      expect(at(found.body, 'cer', 'context')).toBe('[REDACTED]');
      expect(found.text).not.toContain('canary');
      expect(await statusOf(at(found.body, 'cer'))).toBe('VERIFIED_CONFIDENTIAL');
    } finally {
      await open.close();
    }
  });

  it('do not expose another tenant’s unhashed members', async () => {
    const executionId = randomUUID();
    await certified({ executionId, metadata: { theirs: 'canary' } });
    const body = executionRequest({ executionId });
    const created = await ask(node, 'post', '/v1/cer/ai/create', { key, body });
    await ask(node, 'post', '/api/attest', {
      key: await node.newKey(),
      body: { ...objectAt(created.body), declaration: { of: 'canary' }, extra: 'canary' },
    });
    const { text } = await byId(executionId);
    expect(text).not.toContain('canary');
  });
});
