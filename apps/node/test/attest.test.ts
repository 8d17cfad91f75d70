import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { svcV1, type JsonObject } from '@cer/canonical-json';
import { hashValue, sha256 } from '@cer/cer-core';
import { evaluateCer } from '@cer/cer-core/verify';
import { certified, CONFIDENTIAL_MEMBERS, executionRequest, sealed, testKeys } from '@cer/cer-core/testing';

import { ask, at, objectAt, textAt, type Answer } from './ask.js';
import { sealedElsewhere as sealedWith } from './sealed-elsewhere.js';
import { startTestNode, type TestNode } from './test-node.js';

let node: TestNode;
let key: string;

beforeAll(async () => {
  node = await startTestNode();
  key = await node.newKey();
});
afterAll(() => node.close());

const attest = (body: unknown, as = key): Promise<Answer> => ask(node, 'post', '/api/attest', { key: as, body });
const lookUp = (hash: string): Promise<Answer> =>
  ask(node, 'get', `/v1/cer/public?certificate_hash=${encodeURIComponent(hash)}`);

const elsewhere = (members: JsonObject = {}): JsonObject => sealed({ executionId: randomUUID(), ...members }).bundle;

const sealedElsewhere = (snapshot: JsonObject): JsonObject => sealedWith({ snapshot });

const withRawValues = (canary: string): JsonObject =>
  sealedElsewhere({
    input: `input ${canary}`,
    output: [`output ${canary}`],
    inputHash: hashValue(`input ${canary}`, svcV1, ''),
    outputHash: hashValue([`output ${canary}`], svcV1, ''),
    prompt: `prompt ${canary}`,
    note: `note ${canary}`,
    parameters: { temperature: 1, stop: `stop ${canary}` },
    toolCalls: [
      { toolId: 't', at: '2026-01-01T00:00:00Z', input: `tool ${canary}`, output: { text: `tool ${canary}` } },
    ],
  });

async function evaluation(cer: unknown): Promise<Awaited<ReturnType<typeof evaluateCer>>> {
  return evaluateCer(cer, { keySet: testKeys(), verifiedAt: new Date().toISOString() });
}

describe('attest', () => {
  it.each<[string, () => JsonObject, string]>([
    ['v1', () => elsewhere({ context: { signals: [] } }), 'VERIFIED'],
    ['v1 under 1.3.1', () => elsewhere(CONFIDENTIAL_MEMBERS), 'VERIFIED_CONFIDENTIAL'],
    [
      'v2',
      () => elsewhere({ bundleType: 'cer.ai.execution.v2', protocolVersion: '1.3.0', executionRole: 'operative' }),
      'VERIFIED',
    ],
    ['v1 without a stated protocol', () => sealedElsewhere({ protocolVersion: null }), 'VERIFIED'],
  ])('returns the bundle verbatim with new meta: %s', async (_name, make, status) => {
    const bundle: JsonObject = { declaration: { by: 'me' }, extra: [1], ...make() };
    const {
      status: httpStatus,
      headers,
      body,
    } = await attest({ ...bundle, meta: { attestation: 'theirs', metadata: {} } });
    expect(httpStatus).toBe(200);
    const { meta, ...rest } = objectAt(body, 'cer');
    expect(rest).toEqual(bundle);
    expect(Object.keys(objectAt(meta))).toEqual([
      'attestation',
      'verificationEnvelope',
      'verificationEnvelopeSignature',
    ]);
    expect(headers['x-certificate-hash']).toBe(bundle['certificateHash']);
    expect(at(body, 'certificateHash')).toBe(bundle['certificateHash']);
    expect(Object.keys(objectAt(body)).slice(0, 5)).toEqual([
      'ok',
      'cer',
      'certificateHash',
      'bundleType',
      'createdAt',
    ]);
    expect(at(body, 'openings')).toBeUndefined();
    expect(await evaluation(at(body, 'cer'))).toMatchObject({ status, envelope: { status: 'PASS' } });
  });

  it.each<[string, JsonObject]>([
    ['a receipt', { receipt: { nodeId: 'theirs' } }],
    ['a signature', { signature: 'theirs', signatureB64Url: 'theirs' }],
    ['a summary', { attestation: { kid: 'theirs' } }],
    ['an envelope', { verificationEnvelope: {}, verificationEnvelopeSignature: 'theirs' }],
  ])('drops an earlier attestation at the top level: %s', async (_name, earlier) => {
    const bundle = elsewhere();
    const hashOnly = {
      ...{ bundleType: 'hash-only-timestamp', version: '0.1', createdAt: null, snapshot: null },
      certificateHash: sha256(randomUUID()),
    };
    for (const submitted of [bundle, hashOnly]) {
      const { status, body } = await attest({ ...submitted, ...earlier });
      expect(status).toBe(200);
      expect(at(body, 'cer')).toEqual({ ...submitted, meta: expect.anything() });
      expect(await evaluation(at(body, 'cer'))).toMatchObject({ status: 'VERIFIED', findings: [] });
    }
  });

  it.each<[string, (bundle: JsonObject) => JsonObject]>([
    ['a package', (cer) => ({ cer })],
    ['a bundle in {bundle}', (bundle) => ({ bundle })],
    ['a package in {bundle}', (cer) => ({ bundle: { cer } })],
    ['a saved certify response', (cer) => ({ ok: true, cer, certificateHash: 'theirs', receipt: {} })],
  ])('accepts %s', async (_name, wrap) => {
    const bundle = elsewhere();
    const { status, body } = await attest(wrap(bundle));
    expect([status, at(body, 'certificateHash')]).toEqual([200, bundle['certificateHash']]);
  });

  it('attests a bare hash once as hash-only', async () => {
    const certificateHash = sha256(randomUUID());
    const submitted = {
      bundleType: 'hash-only-timestamp',
      version: '0.1',
      createdAt: null,
      snapshot: null,
      certificateHash,
    };
    const first = await attest(submitted);
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({
      cer: submitted,
      createdAt: null,
      protocolVersion: null,
      verificationEnvelope: null,
      verificationEnvelopeSignature: null,
      attestation: { verified: false, checks: [], protocolVersion: null },
      receipt: { scope: 'hash-only', certificateHash },
    });
    const again = await attest(submitted);
    expect(again.headers['x-idempotent-replay']).toBe('true');
    expect(again.text).toBe(first.text);

    const found = await lookUp(certificateHash);
    expect(found.body).toMatchObject({ createdAt: null, protocolVersion: null, canonical: { certificate: null } });
    for (const cer of [at(first.body, 'cer'), at(found.body, 'cer'), first.body, found.body]) {
      expect(await evaluation(cer)).toMatchObject({ status: 'VERIFIED', findings: [] });
    }
  });

  it('drops raw values and stores a verifiable reseal', async () => {
    const canary = randomUUID();
    const bundle = withRawValues(canary);
    const { status, body } = await attest(bundle);
    expect(status).toBe(200);
    expect(at(body, 'cer')).toMatchObject(bundle);
    expect(await evaluation(body)).toMatchObject({ status: 'VERIFIED', findings: [] });

    const hash = textAt(bundle, 'certificateHash');
    const found = await lookUp(hash);
    const resealed = textAt(found.body, 'resealedCertificateHash');
    expect(found.body).toMatchObject({
      certificateHash: hash,
      receipt: at(body, 'receipt'),
      signature: at(body, 'signature'),
      cer: {
        bundleType: 'signed-redacted-reseal',
        certificateHash: resealed,
        snapshot: { input: '[REDACTED]', output: '[REDACTED]', prompt: '[REDACTED]', note: '[REDACTED]' },
        meta: {
          attestation: { attestationId: at(body, 'attestationId'), attestedAt: at(body, 'issuedAt') },
          provenance: {
            kind: 'redacted_reseal',
            originalCertificateHash: hash,
            redactedAt: at(body, 'issuedAt'),
            redactionPolicy:
              'public.v1:snapshot.input,snapshot.note,snapshot.output,snapshot.parameters.stop,snapshot.prompt,snapshot.toolCalls[0].input,snapshot.toolCalls[0].output',
            original: { certificateHash: hash, receipt: at(body, 'receipt'), signature: at(body, 'signature') },
          },
        },
      },
      canonical: { certificate: { certificateHash: resealed } },
    });
    expect(sha256(textAt(found.body, 'canonical', 'certificate', 'canonicalPayload'))).toBe(resealed);
    expect(at(found.body, 'cer', 'snapshot', 'inputHash')).toBe(at(bundle, 'snapshot', 'inputHash'));
    for (const cer of [at(found.body, 'cer'), found.body]) {
      expect(await evaluation(cer)).toMatchObject({
        status: 'VERIFIED',
        findings: [],
        envelope: { status: 'SKIPPED' },
      });
    }
    expect((await lookUp(resealed)).text).toBe(found.text);
    expect(found.text).not.toContain(canary);
    for (const row of await node.database.query('select * from records')) {
      expect(JSON.stringify(row)).not.toContain(canary);
    }
    const again = await attest(bundle);
    expect([again.headers['x-idempotent-replay'], again.text]).toEqual(['true', JSON.stringify(body)]);
  });
});

describe('a raw value that resembles a sealed one', () => {
  it('is not stored', async () => {
    const raw = sha256(randomUUID());
    const { status, body } = await attest(sealedElsewhere({ input: raw, inputHash: hashValue(raw, svcV1, '') }));
    expect(status).toBe(200);
    const found = await lookUp(textAt(body, 'certificateHash'));
    expect(at(found.body, 'cer', 'snapshot', 'input')).toBe('[REDACTED]');
    expect(await evaluation(found.body)).toMatchObject({ status: 'VERIFIED', findings: [] });
    for (const row of await node.database.query('select * from records')) {
      expect(JSON.stringify(row)).not.toContain(raw);
    }
  });
});

describe('a submission with faults', () => {
  const hash = sha256('content');

  it.each<[string, unknown, number, string]>([
    ['no object', [], 400, 'VALIDATION_ERROR'],
    ['two bundles at once', { snapshot: {}, cer: {} }, 400, 'VALIDATION_ERROR'],
    ['a package of no bundle', { cer: 5 }, 400, 'VALIDATION_ERROR'],
    ['no type', { ...elsewhere(), bundleType: undefined }, 400, 'VALIDATION_ERROR'],
    ['an unknown type', { ...elsewhere(), bundleType: 'cer.ai.execution.v3' }, 400, 'VALIDATION_ERROR'],
    ['a prototype name as type', { ...elsewhere(), bundleType: 'constructor' }, 400, 'VALIDATION_ERROR'],
    ['a reseal', { ...elsewhere(), bundleType: 'signed-redacted-reseal' }, 400, 'VALIDATION_ERROR'],
    ['a render', { ...elsewhere(), bundleType: 'cer.codemode.render.v1' }, 400, 'VALIDATION_ERROR'],
    ['another version', { ...elsewhere(), version: '0.2' }, 400, 'VALIDATION_ERROR'],
    ['an unsupported protocol', sealedElsewhere({ protocolVersion: '1.9.0' }), 400, 'VALIDATION_ERROR'],
    ['no snapshot', { ...elsewhere(), snapshot: null }, 400, 'VALIDATION_ERROR'],
    ['no hash', { ...elsewhere(), certificateHash: hash.toUpperCase() }, 400, 'VALIDATION_ERROR'],
    [
      'content in a hash-only',
      { bundleType: 'hash-only-timestamp', version: '0.1', snapshot: {}, certificateHash: hash },
      400,
      'VALIDATION_ERROR',
    ],
    [
      'no time in a hash-only',
      { bundleType: 'hash-only-timestamp', version: '0.1', createdAt: 'once', snapshot: null, certificateHash: hash },
      400,
      'VALIDATION_ERROR',
    ],
    ['no model', sealedElsewhere({ model: undefined }), 422, 'PROTOCOL_SCHEMA_UNSATISFIED'],
    ['an older shape', sealedElsewhere({ type: undefined }), 422, 'PROTOCOL_SCHEMA_UNSATISFIED'],
    ['another snapshot type', sealedElsewhere({ type: 'other' }), 422, 'PROTOCOL_SCHEMA_UNSATISFIED'],
    ['a malformed inputHash', sealedElsewhere({ inputHash: 'md5:1' }), 422, 'PROTOCOL_SCHEMA_UNSATISFIED'],
    [
      'a tool call without evidence',
      sealedElsewhere({ toolCalls: [{ toolId: 't', at: '2026-01-01T00:00:00Z' }] }),
      422,
      'PROTOCOL_SCHEMA_UNSATISFIED',
    ],
    ['raw values under 1.3.1', elsewhere({ ...CONFIDENTIAL_MEMBERS, executionId: 'x' }), 200, ''],
  ])('is refused in order of precedence: %s', async (_name, body, status, error) => {
    const answer = await attest(body);
    expect([answer.status, at(answer.body, 'error') ?? '']).toEqual([status, error]);
  });

  it('accepts only sealed values under 1.3.1', async () => {
    const bundle = elsewhere(CONFIDENTIAL_MEMBERS);
    const { status, text } = await attest({
      ...bundle,
      snapshot: { ...objectAt(bundle, 'snapshot'), input: 'canary' },
    });
    expect(status).toBe(422);
    expect(text).not.toContain('canary');
  });

  it('reports every hash mismatch', async () => {
    const bundle = sealedElsewhere({ input: 'canary', inputHash: hash });
    const { status, body, text } = await attest({ ...bundle, certificateHash: hash });
    expect([status, at(body, 'error')]).toEqual([400, 'INVALID_BUNDLE']);
    expect(at(body, 'mismatches')).toEqual([
      { field: 'snapshot.inputHash', expected: hash, computed: sha256('canary') },
      { field: 'certificateHash', expected: hash, computed: bundle['certificateHash'] },
    ]);
    expect(at(body, 'message')).toBe((at(body, 'details') as string[]).join(';'));
    expect(text).not.toContain('canary');
  });

  it('may be 128 levels deep', async () => {
    const nested = (levels: number): string =>
      JSON.stringify({ ...elsewhere(), extra: 'NEST' }).replace('"NEST"', '['.repeat(levels) + ']'.repeat(levels));
    expect((await attest(nested(127))).status).toBe(200);
    const { status, body } = await attest(nested(128));
    expect([status, at(body, 'error')]).toEqual([400, 'VALIDATION_ERROR']);
  });

  it('gets an answer that verifies at any depth', async () => {
    const text = JSON.stringify({ ...elsewhere(), extra: 'NEST' }).replace('"NEST"', '['.repeat(127) + ']'.repeat(127));
    const answer = await attest(text);
    expect(answer.status).toBe(200);
    for (const body of [answer.text, `{"bundle":${answer.text}}`]) {
      const verdict = await ask(node, 'post', '/v1/cer/verify', { body });
      expect([verdict.status, at(verdict.body, 'reasonCode')]).toEqual([200, 'OK']);
    }
    const hash = encodeURIComponent(textAt(answer.body, 'certificateHash'));
    const looked = await ask(node, 'get', `/v1/cer/public?certificate_hash=${hash}`);
    expect(at((await ask(node, 'post', '/v1/cer/verify', { body: looked.text })).body, 'reasonCode')).toBe('OK');
  });
});

describe('certify and attest', () => {
  it('share one namespace of ids', async () => {
    const request = executionRequest({ executionId: randomUUID() });
    const created = await ask(node, 'post', '/v1/cer/ai/create', { key, body: request });
    const attested = await attest(created.body);
    const certifiedAfter = await ask(node, 'post', '/v1/cer/ai/certify', { key, body: request });
    expect(certifiedAfter.headers['x-idempotent-replay']).toBe('true');
    expect(certifiedAfter.text).toBe(attested.text);
    const other = await ask(node, 'post', '/v1/cer/ai/certify', { key, body: { ...request, output: 'other' } });
    expect([other.status, at(other.body, 'error')]).toEqual([409, 'EXECUTION_MUTATION_DETECTED']);

    const second = executionRequest({ executionId: randomUUID(), metadata: { ticket: 1 } });
    const first = await ask(node, 'post', '/v1/cer/ai/certify', { key, body: second });
    const { meta, ...bundle } = objectAt(first.body, 'cer');
    const replayed = await attest({ ...bundle, declaration: {} });
    expect(replayed.headers['x-idempotent-replay']).toBe('true');
    expect(at(replayed.body, 'cer')).toEqual({ ...bundle, declaration: {}, meta });
    expect(at(replayed.body, 'requestId')).toBe(at(first.body, 'requestId'));
    const mutated = sealedElsewhere({ executionId: textAt(bundle, 'snapshot', 'executionId'), model: 'other' });
    expect((await attest(mutated)).status).toBe(409);
  });

  it('attest the bundle of another node again', async () => {
    const theirs = await certified({ executionId: randomUUID() });
    const { body } = await attest(theirs);
    expect(at(body, 'attestationId')).not.toBe(at(theirs, 'meta', 'attestation', 'attestationId'));
  });
});
