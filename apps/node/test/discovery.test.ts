import { createHash } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { certified, executionRequest, sealed, TEST_NODE_ID, TEST_SIGNER } from '@cer/cer-core/testing';
import { jcsV1 } from '@cer/canonical-json';

import { ask, at, objectAt, textAt } from './ask.js';
import { startTestNode, TEST_LIMITS, type TestNode } from './test-node.js';

let node: TestNode;

beforeAll(async () => {
  node = await startTestNode();
});
afterAll(() => node.close());

describe('what the node says of itself', () => {
  it('is its name, key, versions and where its keys are', async () => {
    const root = await ask(node, 'get', '/');
    expect(root.body).toEqual({
      service: expect.any(String),
      nodeId: TEST_NODE_ID,
      activeKid: TEST_SIGNER.kid,
      status: 'ok',
      version: '0.1.0',
      protocolVersion: '1.2.0',
      protocol: { default: '1.3.1', supported: ['1.2.0', '1.3.0', '1.3.1'] },
      wellKnown: '/.well-known/svc-node.json',
    });
    const version = await ask(node, 'get', '/version');
    const { runtime, nodeRuntimeHash, ...rest } = objectAt(version.body);
    expect(rest).toEqual(root.body);
    const facts = { node: TEST_NODE_ID, version: '0.1.0', protocolVersions: ['1.2.0', '1.3.0', '1.3.1'] };
    expect(runtime).toEqual({ ...facts, runtime: `node ${process.version}` });
    const canonical = jcsV1.canonicalize(runtime);
    expect(nodeRuntimeHash).toBe(`sha256:${createHash('sha256').update(canonical).digest('hex')}`);
    const made = await ask(node, 'post', '/v1/cer/ai/certify', { key: await node.newKey(), body: executionRequest() });
    expect(at(made.body, 'nodeRuntimeHash')).toBe(nodeRuntimeHash);
  });

  it('is its key set', async () => {
    const { body } = await ask(node, 'get', '/.well-known/svc-node.json');
    expect(body).toMatchObject({
      nodeId: TEST_NODE_ID,
      activeKid: TEST_SIGNER.kid,
      keys: [
        { kid: TEST_SIGNER.kid, algorithm: 'Ed25519', status: 'active', publicKeyJwk: { kty: 'OKP', crv: 'Ed25519' } },
      ],
    });
  });

  it('is that it is up, ready, and how it fares', async () => {
    expect((await ask(node, 'get', '/health')).body).toEqual({ status: 'ok' });
    expect((await ask(node, 'get', '/ready')).body).toEqual({ status: 'ready' });
    const metrics = await ask(node, 'get', '/metrics');
    expect(metrics.headers['content-type']).toMatch(/^text\/plain/);
    expect(metrics.text).toContain('route="/ready"');
  });

  it.each([
    ['store', () => ({ store: { ping: () => Promise.reject(new Error('canary')) } })],
    ['signer', () => ({ signing: { prove: () => Promise.reject(new Error('canary')) } })],
    ['apiKeys', () => ({ keys: { find: () => Promise.reject(new Error('canary')) } })],
  ])(
    'is 503 with only the missing part: %s',
    async (part, gone: () => { store?: object; signing?: object; keys?: { find: () => Promise<never> } }) => {
      const { store, signing, keys } = gone();
      const broken = await startTestNode({
        replace: (deps) => ({
          ...(store !== undefined && { store: { ...deps.store, ...store } }),
          ...(signing !== undefined && { signing: { ...deps.signing, ...signing } }),
          ...(keys !== undefined && { keys }),
        }),
      });
      try {
        const { status, body } = await ask(broken, 'get', '/ready');
        expect([status, body]).toEqual([503, { status: 'not ready', reasons: [`${part}: is not available`] }]);
        expect((await ask(broken, 'get', '/health')).status).toBe(200);
      } finally {
        await broken.close();
      }
    },
  );
});

describe('verify', () => {
  const verify = (body: unknown): ReturnType<typeof ask> => ask(node, 'post', '/v1/cer/verify', { body });
  const timestamp = { type: 'node-issued', status: 'verified' };
  const passing = { structure: 'pass', certificateHash: 'pass', inputHash: 'pass', outputHash: 'pass' };

  it('answers exactly the documented members', async () => {
    const cer = await certified();
    expect((await verify({ bundle: cer })).body).toEqual({
      status: 'verified',
      reasonCode: 'OK',
      checks: { ...passing, signature: 'pass' },
      computedCertificateHash: cer['certificateHash'],
      classification: 'VERIFIED',
      timestamp,
    });
    const { bundle } = sealed();
    expect((await verify({ bundle: { cer: bundle } })).body).toMatchObject({
      ...{ status: 'verified', checks: { ...passing, signature: 'skipped' }, timestamp: null },
    });
  });

  it('gives a bare and a wrapped bundle or package one verdict', async () => {
    const cer = await certified();
    const answer = { cer, receipt: at(cer, 'meta', 'attestation', 'receipt') };
    const verdicts = await Promise.all([cer, answer, { bundle: cer }, { bundle: answer }].map(verify));
    expect(verdicts.map(({ status, body }) => [status, body])).toEqual(verdicts.map(() => [200, verdicts[0]?.body]));
    expect(verdicts[0]?.body).toMatchObject({ status: 'verified', checks: { signature: 'pass' } });
    const flat = { runtimeHash: cer['certificateHash'], codeHash: cer['certificateHash'] };
    expect((await verify(flat)).body).toMatchObject({ status: 'failed', reasonCode: 'SCHEMA_ERROR' });
  });

  it('fails a bundle that is wrapped twice', async () => {
    const { body } = await verify({ bundle: { bundle: await certified() } });
    expect(body).toMatchObject({ status: 'failed', reasonCode: 'SCHEMA_ERROR' });
  });

  it('is 200 for a bad verdict, which names no value', async () => {
    const cer = await certified();
    const meta = objectAt(cer, 'meta');
    const signature = textAt(meta, 'attestation', 'signature');
    const forged = {
      ...objectAt(meta, 'attestation'),
      signature: `${signature.slice(0, 5)}${signature[5] === 'A' ? 'B' : 'A'}${signature.slice(6)}`,
    };
    const wrong = await verify({ bundle: { ...cer, meta: { ...meta, attestation: forged } } });
    expect(wrong.status).toBe(200);
    expect(wrong.body).toMatchObject({ status: 'failed', reasonCode: 'SIGNATURE_INVALID', classification: 'FAILED' });
    const changed = await verify({ bundle: { ...cer, snapshot: { ...objectAt(cer, 'snapshot'), model: 'canary' } } });
    expect(changed.body).toMatchObject({ status: 'failed', reasonCode: 'CERTIFICATE_HASH_MISMATCH' });
    expect(changed.text).not.toContain('canary');
    for (const bundle of [{}, { bundleType: '__proto__' }, { snapshot: { protocolVersion: 'constructor' } }]) {
      expect((await verify({ bundle })).body).toMatchObject({ status: 'failed', classification: 'FAILED' });
    }
  });

  it.each([
    ['no bundle', {}],
    ['null', { bundle: null }],
    ['an array', { bundle: [] }],
    ['a bundle beside the bundle', { bundle: sealed().bundle, snapshot: {} }],
    ['a package beside the bundle', { bundle: sealed().bundle, cer: sealed().bundle }],
    ['text', '"canary"'],
    ['a duplicate member', '{"bundle":{"canary":1,"canary":1}}'],
    ['131 levels', `{"bundle":{"a":${'['.repeat(129)}${']'.repeat(129)}}}`],
    ['an object of another kind', { status: 'canary' }],
    ['an array', [sealed().bundle]],
    ['a package of text', { cer: 'canary' }],
    ['a package beside a bundle', { ...sealed().bundle, cer: sealed().bundle }],
  ])('is 400: %s', async (_name, body) => {
    const { status, body: answer } = await verify(body);
    expect([status, at(answer, 'error')]).toEqual([400, 'VALIDATION_ERROR']);
  });

  it('takes 130 levels, and 413 is beyond its size', async () => {
    expect((await verify(`{"bundle":{"a":${'['.repeat(128)}${']'.repeat(128)}}}`)).status).toBe(200);
    expect((await verify({ bundle: { a: 'x'.repeat(TEST_LIMITS.verifyLimitBytes) } })).status).toBe(413);
  });
});
