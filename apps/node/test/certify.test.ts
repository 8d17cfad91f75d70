import { createHash, randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { jcsV1, type JsonObject } from '@cer/canonical-json';
import { sha256 } from '@cer/cer-core';
import { evaluateCer, openCommitment } from '@cer/cer-core/verify';
import { CONFIDENTIAL_MEMBERS, executionRequest, TEST_NODE_ID, TEST_SIGNER, testKeys } from '@cer/cer-core/testing';
import { connectRaw } from '@cer/http-service/testing';
import { decodeBase64Url } from '@cer/keys';

import { ask, at, objectAt, textAt, type Answer } from './ask.js';
import { startTestNode, TEST_LIMITS, VERIFY_URL, type TestNode } from './test-node.js';

const HASH = /^sha256:[0-9a-f]{64}$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const MINTED = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const V2_MEMBERS: JsonObject = {
  bundleType: 'cer.ai.execution.v2',
  protocolVersion: '1.3.0',
  executionRole: 'advisory',
};

let node: TestNode;
let key: string;

beforeAll(async () => {
  node = await startTestNode();
  key = await node.newKey();
});
afterAll(() => node.close());

const certify = (body: unknown, as = key): Promise<Answer> =>
  ask(node, 'post', '/v1/cer/ai/certify', { key: as, body });
const create = (body: unknown): Promise<Answer> => ask(node, 'post', '/v1/cer/ai/create', { key, body });
const request = (members: JsonObject = {}): JsonObject => executionRequest({ executionId: randomUUID(), ...members });
const digest = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;

async function expectVerified(cer: unknown, status: string): Promise<void> {
  const evaluation = await evaluateCer(cer, { keySet: testKeys(), verifiedAt: new Date().toISOString() });
  expect(evaluation).toMatchObject({ status, findings: [], envelope: { status: 'PASS' } });
}

describe('certify', () => {
  it.each([
    ['1.2.0 by default', {}, '1.2.0', 'VERIFIED'],
    ['1.2.0 for null', { protocolVersion: null }, '1.2.0', 'VERIFIED'],
    ['1.3.0', { protocolVersion: '1.3.0' }, '1.3.0', 'VERIFIED'],
    ['1.3.1', CONFIDENTIAL_MEMBERS, '1.3.1', 'VERIFIED_CONFIDENTIAL'],
    ['v2 under 1.3.0', V2_MEMBERS, '1.3.0', 'VERIFIED'],
    ['v2 under 1.3.1', { ...V2_MEMBERS, ...CONFIDENTIAL_MEMBERS }, '1.3.1', 'VERIFIED_CONFIDENTIAL'],
  ])('returns the complete certify response: %s', async (_name, members: JsonObject, protocolVersion, status) => {
    const sent = request({ ...members, metadata: { ticket: 7 } });
    const { status: httpStatus, headers, body } = await certify(sent);
    expect(httpStatus).toBe(200);
    const certificateHash = textAt(body, 'certificateHash');
    const attestation = objectAt(body, 'cer', 'meta', 'attestation');
    const bundleType = 'bundleType' in members ? 'cer.ai.execution.v2' : 'cer.ai.execution.v1';
    const isConfidential = protocolVersion === '1.3.1';
    const { attestationId, attestedAt, signature, requestId } = {
      attestationId: textAt(body, 'attestationId'),
      attestedAt: textAt(body, 'issuedAt'),
      signature: textAt(body, 'signature'),
      requestId: textAt(body, 'requestId'),
    };
    const receipt = { certificateHash, timestamp: attestedAt, nodeId: TEST_NODE_ID, kid: TEST_SIGNER.kid };
    const nodeRuntimeHash = node.deps.runtime.hash;
    const timestamp = { type: 'node-issued', status: 'verified', provider: TEST_NODE_ID, token: null, covers: null };
    expect(body).toEqual({
      ok: true,
      cer: at(body, 'cer'),
      certificateHash,
      bundleType,
      createdAt: sent['createdAt'],
      attestationId,
      nodeRuntimeHash,
      protocolVersion,
      issuedAt: attestedAt,
      kid: TEST_SIGNER.kid,
      attestorKeyId: TEST_SIGNER.kid,
      attestation: {
        ...{ attestationId, attestedAt, bundleType, certificateHash, nodeRuntimeHash, protocolVersion, requestId },
        verified: true,
        checks: ['snapshot_hashes', 'certificate_hash'],
      },
      receipt,
      signature,
      signatureB64Url: signature,
      verificationEnvelope: at(body, 'cer', 'meta', 'verificationEnvelope'),
      verificationEnvelopeSignature: at(body, 'cer', 'meta', 'verificationEnvelopeSignature'),
      timestamp,
      verificationUrl: `${VERIFY_URL}/c/${certificateHash.replace(':', '%3A')}`,
      requestId,
      ...(isConfidential && {
        openings: {
          input: { salt: expect.stringMatching(/^[\w-]{43}$/) },
          output: { salt: expect.stringMatching(/^[\w-]{43}$/) },
        },
        warnings: [expect.stringContaining('prompt')],
      }),
    });
    expect(attestation).toEqual({
      ...{ receipt, signature, kid: TEST_SIGNER.kid, attestationId, attestedAt, nodeId: TEST_NODE_ID },
      ...{ nodeRuntimeHash, protocolVersion, bundleType, certificateHash, timestamp },
    });
    expect(at(body, 'cer', 'meta', 'metadata')).toEqual({ ticket: 7 });
    expect(certificateHash).toMatch(HASH);
    expect(attestationId).toMatch(UUID);
    expect(attestedAt).toMatch(MINTED);
    expect(headers['x-certificate-hash']).toBe(certificateHash);
    expect(headers['x-request-id']).toBe(requestId);
    expect(headers['x-idempotent-replay']).toBeUndefined();
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    await expectVerified(at(body, 'cer'), status);
  });

  it('seals the specified snapshot with defaults', async () => {
    const { body } = await certify({
      ...{ provider: 'p', model: 'm', input: 'in', output: { b: 1, a: [true] }, prompt: 'dropped' },
      ...{ contextSummary: {}, policyEvaluation: {}, declaration: {}, executionRole: 'dropped', unknown: 1 },
      ...{ executionId: null, createdAt: null, timestamp: null, modelVersion: null, appId: null },
    });
    const cer = objectAt(body, 'cer');
    expect(Object.keys(cer)).toEqual(['bundleType', 'version', 'createdAt', 'snapshot', 'certificateHash', 'meta']);
    expect(cer['version']).toBe('0.1');
    expect(cer['createdAt']).toMatch(MINTED);
    expect(cer['snapshot']).toEqual({
      type: 'ai.execution.v1',
      protocolVersion: '1.2.0',
      executionSurface: 'ai',
      executionId: expect.stringMatching(UUID),
      timestamp: cer['createdAt'],
      provider: 'p',
      model: 'm',
      modelVersion: null,
      inputHash: digest('in'),
      outputHash: digest('{"a":[true],"b":1}'),
      appId: null,
    });
  });

  it.each([
    ...['protocolVersion', 'bundleType', 'parameters', 'modelVersion', 'appId', 'metadata', 'context', 'signals'],
    ...['createdAt', 'timestamp', 'inputHash', 'outputHash', 'prompt', 'executionRole', 'instruction'],
    'instructionKind',
  ])('certifies %s: null like the absent member, and replays either', async (name) => {
    const absent = Object.fromEntries(Object.entries(request()).filter(([other]) => other !== name));
    const first = await certify({ ...absent, [name]: null });
    expect(first.status).toBe(200);
    const again = await certify(absent);
    expect([again.status, again.headers['x-idempotent-replay'], again.body]).toEqual([200, 'true', first.body]);
    expect((await certify({ ...absent, [name]: null })).headers['x-idempotent-replay']).toBe('true');
    expect(objectAt(first.body, 'cer', 'meta')).not.toHaveProperty('metadata');
  });

  it('keeps supplied times verbatim and signals as context', async () => {
    const signals = [{ type: 't', source: 's', payload: {}, step: 1 }];
    const times = { createdAt: '2026-02-28T23:59:59.123456789+14:00', timestamp: '2026-03-01T00:00:00Z' };
    for (const members of [{ signals }, { context: { signals, extra: 1 } }, { signals: [] }]) {
      const { body } = await certify(request({ ...times, ...members }));
      expect(at(body, 'cer', 'createdAt')).toBe(times.createdAt);
      expect(at(body, 'cer', 'snapshot', 'timestamp')).toBe(times.timestamp);
      expect(at(body, 'cer', 'context')).toEqual('context' in members ? members.context : members);
    }
  });

  it('returns openings for exactly the commitments', async () => {
    const sent = request({ ...CONFIDENTIAL_MEMBERS, output: { text: 'deep' } });
    const { body } = await certify(sent);
    const sealedInput = at(body, 'cer', 'snapshot', 'input');
    expect(Object.keys(objectAt(sealedInput))).toEqual(['_redacted', 'scheme', 'commitment']);
    expect(at(body, 'cer', 'snapshot', 'inputHash')).toBe(sha256(jcsV1.canonicalize(sealedInput)));
    const salt = (name: string): Uint8Array => decodeBase64Url(textAt(body, 'openings', name, 'salt'));
    expect(openCommitment(sealedInput, salt('input'), { type: 'text', text: textAt(sent, 'input') })).toBe(true);
    expect(openCommitment(sealedInput, salt('input'), { type: 'text', text: 'another' })).toBe(false);
    expect(openCommitment(sealedInput, salt('output'), { type: 'text', text: textAt(sent, 'input') })).toBe(false);
    const sealedOutput = at(body, 'cer', 'snapshot', 'output');
    expect(openCommitment(sealedOutput, salt('output'), { type: 'json', value: { text: 'deep' } })).toBe(true);
    expect(JSON.stringify(at(body, 'cer'))).not.toContain(textAt(body, 'openings', 'input', 'salt'));
  });

  it('accepts unusual names and values as data', async () => {
    const parameters = '{"__proto__":{"polluted":true},"constructor":1,"10":1,"9":2,"toJSON":"x","temperature":-0}';
    for (const executionId of [
      '__proto__',
      'constructor',
      'hasOwnProperty',
      '%00',
      '../..',
      '"\'; drop table records;',
    ]) {
      const sent = JSON.stringify(request({ executionId })).replace('{"temperature":0}', parameters);
      const first = await certify(sent);
      expect(first.status).toBe(200);
      expect(Object.keys(objectAt(first.body, 'cer', 'snapshot', 'parameters'))).toContain('__proto__');
      await expectVerified(at(first.body, 'cer'), 'VERIFIED');
      expect((await certify(sent)).text).toBe(first.text);
    }
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });

  it('certifies a lone surrogate only under svc-v1', async () => {
    const sent = (protocolVersion: string): string =>
      JSON.stringify(request({ protocolVersion, model: 'LONE' })).replace('LONE', '\\ud800');
    const { status, body } = await certify(sent('1.2.0'));
    expect(status).toBe(200);
    expect(at(body, 'verificationEnvelope')).toBeNull();
    const refused = await certify(sent('1.3.0'));
    expect(refused.status).toBe(422);
    expect(at(refused.body, 'error')).toBe('PROTOCOL_SCHEMA_UNSATISFIED');
  });
});

describe('a certify request with faults', () => {
  it('gets all faults by path and rule, without values', async () => {
    const { status, body, text } = await certify({
      ...{ provider: '', model: 5, input: 'canary', inputHash: digest('canary'), output: null },
      ...{
        executionId: 'canary\u0000',
        modelVersion: 'canary'.repeat(50),
        createdAt: 'canary',
        timestamp: '2026-02-30T00:00:00Z',
      },
      ...{ metadata: ['canary'], context: { signals: 'canary' }, signals: [{ type: '', payload: 'canary' }] },
      parameters: { temperature: 'canary', topP: null, seed: 'canary' },
    });
    expect(status).toBe(400);
    expect(at(body, 'error')).toBe('VALIDATION_ERROR');
    const details = at(body, 'details') as string[];
    expect(at(body, 'message')).toBe(details.join(';'));
    expect(Object.keys(objectAt(body))).toEqual(['error', 'message', 'details', 'requestId']);
    expect(details.map((detail) => detail.slice(0, detail.indexOf(':'))).toSorted()).toEqual(
      [
        ...['provider', 'model', 'inputHash', 'output', 'executionId', 'modelVersion', 'createdAt', 'timestamp'],
        ...['metadata', 'signals', 'context.signals', 'signals[0].type', 'signals[0].source', 'signals[0].payload'],
        ...['parameters.temperature', 'parameters.seed'],
      ].toSorted(),
    );
    expect(text).not.toContain('canary');
  });

  it.each<[string, JsonObject, string[]]>([
    ['1.3.1 with hashes', { ...CONFIDENTIAL_MEMBERS, inputHash: digest('x') }, ['inputHash']],
    ['1.3.1 without a prompt', { ...CONFIDENTIAL_MEMBERS, prompt: '' }, ['prompt']],
    [
      '1.3.1 with another parameter',
      { ...CONFIDENTIAL_MEMBERS, parameters: { temperature: 1, maxTokens: 1, topP: 1, seed: 1, x: 1 } },
      ['parameters'],
    ],
    [
      '1.3.1 without one',
      { ...CONFIDENTIAL_MEMBERS, parameters: { temperature: 1, maxTokens: 1, topP: 1 } },
      ['parameters.seed'],
    ],
    ['an unsupported protocol', { protocolVersion: '1.4.0' }, ['protocolVersion']],
    ['a prototype name as protocol', { protocolVersion: '__proto__' }, ['protocolVersion']],
    ['a protocol of another type', { protocolVersion: 1.2 }, ['protocolVersion']],
    ['another bundle type', { bundleType: 'cer.ai.execution.v3' }, ['bundleType']],
    ['v2 without a protocol', { ...V2_MEMBERS, protocolVersion: null }, ['protocolVersion']],
    ['v2 without a role', { ...V2_MEMBERS, executionRole: 'boss' }, ['executionRole']],
    ['v2 with a kind without instruction', { ...V2_MEMBERS, instructionKind: 'system' }, ['instructionKind']],
    ['null for input', { input: null }, ['input']],
    ['a number for output', { output: 5 }, ['output']],
    ['context without signals', { context: {} }, ['context.signals']],
    ['an hour of 24', { createdAt: '2026-01-01T24:00:00Z' }, ['createdAt']],
    ['a time without zone', { timestamp: '2026-01-01T00:00:00' }, ['timestamp']],
  ])('is 400 with the member at fault: %s', async (_name, members, paths) => {
    for (const answer of [await certify(request(members)), await create(request(members))]) {
      expect(answer.status).toBe(400);
      expect(at(answer.body, 'error')).toBe('VALIDATION_ERROR');
      const details = at(answer.body, 'details') as string[];
      expect(details.map((detail) => detail.slice(0, detail.indexOf(':')))).toEqual(paths);
    }
  });

  it('is 422 for a v2 request under 1.2.0', async () => {
    const { status, body } = await certify(request({ ...V2_MEMBERS, protocolVersion: '1.2.0' }));
    expect([status, at(body, 'error')]).toEqual([422, 'PROTOCOL_SCHEMA_UNSATISFIED']);
  });

  it.each([
    ['no JSON', '{"canary": '],
    ['an array', '[]'],
    ['text', '"canary"'],
    ['a duplicate member', '{"provider":"canary","provid\\u0065r":"canary"}'],
    ['a large integer', '{"parameters":{"seed":9007199254740993}}'],
    ['an overflow', '{"parameters":{"seed":1e999}}'],
    ['an underflow', '{"parameters":{"seed":1e-999}}'],
    ['a byte order mark', '\ufeff{}'],
    ['an empty body', ''],
    ['a lone surrogate as input', JSON.stringify(executionRequest({ input: 'LONE' })).replace('LONE', '\\ud800')],
    [
      'a lone surrogate as executionId',
      JSON.stringify(executionRequest({ executionId: 'LONE' })).replace('LONE', '\\ud800'),
    ],
  ])('is 400 before members are checked: %s', async (_name, body) => {
    const answer = await certify(body);
    expect([answer.status, at(answer.body, 'error')]).toEqual([400, 'VALIDATION_ERROR']);
    expect(at(answer.body, 'details')).toHaveLength(1);
    expect(answer.text).not.toContain('canary');
  });

  it('may nest member values 96 levels deep', async () => {
    const nested = (levels: number): string =>
      JSON.stringify(request({ input: 'NEST' })).replace('"NEST"', '['.repeat(levels) + ']'.repeat(levels));
    expect((await certify(nested(96))).status).toBe(200);
    const { status, body } = await certify(nested(97));
    expect([status, at(body, 'error')]).toEqual([400, 'VALIDATION_ERROR']);
    expect((await certify('['.repeat(100_000))).status).toBe(400);
  });

  it('is 413 over the limit with or without a length', async () => {
    const long = JSON.stringify(request({ input: 'x'.repeat(TEST_LIMITS.bodyLimitBytes) }));
    expect((await certify(long)).status).toBe(413);
    const raw = await connectRaw(node.url);
    raw.send('POST /v1/cer/ai/certify HTTP/1.1\r\nHost: n\r\nContent-Type: application/json\r\n');
    raw.send(`Authorization: Bearer ${key}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n`);
    raw.send(`${long.length.toString(16)}\r\n${long}\r\n0\r\n\r\n`);
    expect(await raw.ended()).toMatch(/^HTTP\/1.1 413 [^]*PAYLOAD_TOO_LARGE/);
  });

  it('is 400 when its bytes are not UTF-8', async () => {
    const raw = await connectRaw(node.url);
    raw.send('POST /v1/cer/ai/certify HTTP/1.1\r\nHost: n\r\nContent-Type: application/json\r\n');
    raw.send(`Authorization: Bearer ${key}\r\nContent-Length: 3\r\nConnection: close\r\n\r\n"\xff"`);
    expect(await raw.ended()).toMatch(/^HTTP\/1.1 400 [^]*VALIDATION_ERROR[^]*UTF-8/);
  });
});

describe('create', () => {
  it('returns only the bundle that certify would seal', async () => {
    const sent = request({ ...CONFIDENTIAL_MEMBERS, metadata: { ticket: 7 } });
    const { status, body } = await create(sent);
    expect(status).toBe(200);
    const certified = await certify(sent);
    const { meta, ...bundle } = objectAt(certified.body, 'cer');
    expect(meta).toBeDefined();
    expect(body).toEqual(bundle);
    expect(certified.headers['x-idempotent-replay']).toBeUndefined();
  });

  it('stores nothing and uses ephemeral salts without an id', async () => {
    const sent = { ...executionRequest(CONFIDENTIAL_MEMBERS), executionId: null };
    const [first, second] = [await create(sent), await create(sent)];
    const executionId = textAt(first.body, 'snapshot', 'executionId');
    expect(executionId).toMatch(UUID);
    expect(at(first.body, 'snapshot', 'input')).not.toEqual(at(second.body, 'snapshot', 'input'));
    expect((await ask(node, 'get', `/v1/cer/public?execution_id=${executionId}`)).status).toBe(404);
  });
});
