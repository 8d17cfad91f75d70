import { randomUUID } from 'node:crypto';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@cer/canonical-json';
import { sha256 } from '@cer/cer-core';
import { DEFAULT_PUBLISH_SETTINGS, timestampDigest, timestampedText } from '@cer/cer-core/attest';
import { buildProject } from '@cer/cer-core/seal';
import { evaluateCer, evaluateProject, type Evaluation, type TimestampVerifier } from '@cer/cer-core/verify';
import { executionRequest, TEST_NODE_ID, TEST_SIGNER } from '@cer/cer-core/testing';
import { parseKeySet, type NodeKeySet } from '@cer/keys';
import { testKeySet } from '@cer/keys/testing';
import { createTimestampVerifier, parseTsaRoots } from '@cer/timestamps';
import { createOpensslTsa, serveTsa, type OpensslTsa, type ServedTsa } from '@cer/timestamps/testing';

import { storedFault } from '../../src/admin/stored-faults.js';
import { attestedAnew } from '../../src/admin/reattest-record.js';
import { registerProject } from '../../src/projects/register.js';
import { startTestNode } from '../test-node.js';
import { ask, at, objectAt, textAt } from '../ask.js';
import { sealedElsewhere } from '../sealed-elsewhere.js';
import { newRecord } from '../store/new-record.js';
import {
  lookup,
  timestamped,
  timestampingNode,
  until,
  type TimestampingNode,
  type TimestampingOptions,
} from './timestamping-node.js';

const HASH_ONLY = { bundleType: 'hash-only-timestamp', version: '0.1', createdAt: null, snapshot: null };
const LATER = '2099-01-01T00:00:00Z';

let tsa: OpensslTsa;
let served: ServedTsa;
let timestamping: TimestampingNode;

beforeAll(async () => {
  tsa = createOpensslTsa();
  served = await serveTsa((query) => tsa.reply(query));
});
beforeEach(() => {
  served.behave('answer');
});
afterEach(() => timestamping.close());
afterAll(async () => {
  await served.close();
  tsa.remove();
});

async function open(options: Partial<TimestampingOptions> = {}): Promise<TimestampingNode> {
  timestamping = await timestampingNode({ rootPem: tsa.rootPem, urls: [served.url], mode: 'each', ...options });
  return timestamping;
}

const checker = (): TimestampVerifier => createTimestampVerifier(parseTsaRoots(tsa.rootPem));

function revokedKeys(): NodeKeySet {
  const life = { status: 'revoked', revokedAt: LATER } as const;
  return parseKeySet(testKeySet({ nodeId: TEST_NODE_ID, signers: [{ signer: TEST_SIGNER, ...life }] }));
}

/** Verifies with the authority's pinned root and a later revocation of the node's key. */
function underRevokedKey(subject: unknown): Promise<Evaluation> {
  const verifiedAt = new Date().toISOString();
  return evaluateCer(subject, { keySet: revokedKeys(), timestamps: checker(), verifiedAt });
}

/** The tokens over the receipt of a lookup, given to OpenSSL. */
async function acceptedByOpenssl(body: JsonObject): Promise<string> {
  const token = Buffer.from(textAt(body, 'timestamp', 'token'), 'base64');
  const receipt = objectAt(body, 'receipt') as JsonObject;
  return tsa.accepts(token, timestampDigest(timestampedText(receipt, textAt(body, 'signature'))));
}

describe('external timestamps', () => {
  it('arrive after the certificate and satisfy OpenSSL', async () => {
    const { node, certify, start } = await open();
    const hash = await certify();
    const before = await lookup(node, hash);
    expect(at(before.body, 'status')).toBe('ATTESTED');
    expect(at(before.body, 'timestamp')).toMatchObject({ type: 'node-issued', token: null });
    start();
    const body = await timestamped(node, hash);
    expect(body['timestamp']).toMatchObject({
      type: 'rfc3161',
      status: 'verified',
      provider: 'Test TSA',
      covers: 'receipt',
    });
    expect(await acceptedByOpenssl(body)).toContain('Verification: OK');
    expect(at(body, 'cer', 'meta', 'timestamps')).toEqual([body['timestamp']]);
    expect(await underRevokedKey(body['cer'])).toMatchObject({ status: 'VERIFIED', keyRescue: { limit: LATER } });
    const proof = await ask(node, 'get', `/api/public-cer-proof?certificate_hash=${encodeURIComponent(hash)}`);
    expect(at(proof.body, 'status')).toBe('EXTERNALLY_TIMESTAMPED');
    // The node itself checks the token too.
    const verified = await ask(node, 'post', '/v1/cer/verify', { body: { bundle: body['cer'] } });
    expect(at(verified.body, 'timestamp')).toMatchObject({ type: 'rfc3161', status: 'verified' });
    const rootless = await startTestNode();
    const unchecked = await ask(rootless, 'post', '/v1/cer/verify', { body: { bundle: body['cer'] } });
    await rootless.close();
    expect(at(unchecked.body, 'timestamp')).toEqual({ type: 'rfc3161', status: 'not-checked' });
  });

  it('are part of a replayed response', async () => {
    const { node, start } = await open();
    const key = await node.newKey();
    const body = { executionId: 'repeated', provider: 'p', model: 'm', input: 'i', output: 'o' };
    const certify = () => ask(node, 'post', '/v1/cer/ai/certify', { key, body });
    const first = await certify();
    start();
    await timestamped(node, textAt(first.body, 'certificateHash'));
    const again = await certify();
    expect(at(again.body, 'timestamp', 'type')).toBe('rfc3161');
    for (const name of ['signature', 'requestId', 'receipt', 'verificationEnvelope', 'attestation']) {
      expect(at(again.body, name)).toEqual(at(first.body, name));
    }
  });

  it('share one token for many receipts, resealed ones too', async () => {
    const { node, certify, start } = await open({ mode: 'batch' });
    const reseal = await certify({ parameters: { temperature: 0, user: 'a free text' } });
    const hashes = [reseal, await certify(), await certify()];
    const before = served.calls;
    start();
    for (const hash of hashes) {
      const body = await timestamped(node, hash);
      expect(at(body, 'cer', 'meta', 'timestamps', 0, 'inclusion', 'treeSize')).toBe(4);
      expect(at(body, 'timestamp', 'inclusion')).toBeUndefined();
      expect(await underRevokedKey(body['cer'])).toMatchObject({ status: 'VERIFIED', keyRescue: { limit: LATER } });
    }
    expect(served.calls - before).toBe(1);
    const ofReseal = await timestamped(node, reseal);
    expect(ofReseal['resealedCertificateHash']).toBeDefined();
    expect(at(ofReseal, 'cer', 'meta', 'provenance', 'original', 'timestamps', 0, 'type')).toBe('rfc3161');
    // Each receipt has its own position in the tree.
    const places = [
      at(ofReseal, 'cer', 'meta', 'timestamps', 0, 'inclusion', 'leafIndex'),
      at(ofReseal, 'cer', 'meta', 'provenance', 'original', 'timestamps', 0, 'inclusion', 'leafIndex'),
    ];
    expect(new Set(places).size).toBe(2);
  });

  it.each<[string, () => JsonObject]>([
    ['a hash alone', () => ({ ...HASH_ONLY, certificateHash: sha256('elsewhere') })],
    ['a bundle sealed elsewhere, whole', () => sealedElsewhere({ snapshot: {} })],
    ['one of which only the reseal is kept', () => sealedElsewhere({ snapshot: { instruction: 'never shown' } })],
  ])('come for what was attested: %s', async (_name, submitted) => {
    const { node, start } = await open({ mode: 'batch' });
    const body = submitted();
    const made = await ask(node, 'post', '/api/attest', { key: await node.newKey(), body });
    expect(made.status).toBe(200);
    start();
    const record = await timestamped(node, textAt(made.body, 'certificateHash'));
    expect(await underRevokedKey(record)).toMatchObject({ status: 'VERIFIED', keyRescue: { limit: LATER } });
  });

  it('come from two authorities or the one that answers', async () => {
    const other = await serveTsa((query) => tsa.reply(query));
    const { node, certify, start } = await open({ urls: [served.url, other.url] });
    const both = await certify();
    start();
    expect(at(await timestamped(node, both), 'cer', 'meta', 'timestamps')).toHaveLength(2);
    other.behave('refuse');
    expect(at(await timestamped(node, await certify()), 'cer', 'meta', 'timestamps')).toHaveLength(1);
    await other.close();
  });

  it.each([
    ['cut off', '{"meta":', null],
    ['without an attestation', '{"meta":{}}', null],
    ['without the original', '{"meta":{"attestation":{"receipt":{},"signature":"AA"},"provenance":{}}}', sha256('r')],
  ])('are not requested for a public form that is %s', async (_case, publicCerJson, resealedCertificateHash) => {
    const { node, certify, start } = await open();
    const metaJson = '{"attestation":{"receipt":{},"signature":"AA"}}';
    await node.store.records.recordOnce(newRecord({ metaJson, publicCerJson, resealedCertificateHash }));
    const before = served.calls;
    const first = await certify();
    start();
    await timestamped(node, first);
    await timestamped(node, await certify());
    expect(served.calls - before).toBe(2);
    expect(node.log.filter((line) => line.includes('cannot be timestamped'))).toHaveLength(1);
  });

  it.each(['each', 'batch'] as const)('come for a registered project too: %s', async (mode) => {
    const { node, start } = await open({ mode });
    const key = await node.newKey();
    const made = await ask(node, 'post', '/v1/cer/ai/certify', { key, body: executionRequest() });
    const step = { stepId: 'one', bundle: objectAt(made.body, 'cer') as JsonObject };
    const project = buildProject({ projectBundleId: 'p', projectTitle: 'A project' }, [step]);
    const registered = await ask(node, 'post', '/v1/project-bundle/register', { key, body: project });
    const hash = encodeURIComponent(textAt(registered.body, 'projectHash'));
    start();
    await timestamped(node, textAt(made.body, 'certificateHash'));
    const shown = () => ask(node, 'get', `/v1/project-bundle/public?project_hash=${hash}`);
    const { body } = await until(shown, (answer) => at(answer.body, 'meta', 'timestamps') !== undefined);
    expect(at(body, 'meta', 'timestamps', 0)).toMatchObject({ type: 'rfc3161', covers: 'receipt' });
    // The receipt of the project and that of its step are both older than the revocation.
    const verify = (timestamps: TimestampVerifier | null) =>
      evaluateProject(body, { keySet: revokedKeys(), timestamps, verifiedAt: new Date().toISOString() });
    expect(await verify(checker())).toMatchObject({ status: 'VERIFIED', keyRescue: { limit: LATER } });
    expect(await verify(null)).toMatchObject({ status: 'FAILED', code: 'KEY_REVOKED' });
  });

  it('allow project steps under a key revoked later', async () => {
    const { node, certify, start } = await open();
    const hash = await certify();
    start();
    const bundle = objectAt(await timestamped(node, hash), 'cer') as JsonObject;
    const project = buildProject({ projectBundleId: randomUUID() }, [{ stepId: 'one', bundle }]);
    const [found] = await node.store.recordScan.withHash(hash);
    const publish = DEFAULT_PUBLISH_SETTINGS;
    const tenantId = found?.record.tenantId ?? '';
    const caller = { tenantId, keyId: 'k', scopes: new Set<string>(), publish };
    const deps = { ...node.deps, keySet: async () => revokedKeys(), hasLog: false };
    const register = (timestamps: TimestampVerifier | null) =>
      registerProject({ ...deps, timestamps }, project, caller, randomUUID());
    await expect(register(null)).rejects.toMatchObject({ code: 'KEY_REVOKED' });
    expect((await register(checker())).isReplay).toBe(false);
  });

  it('allow recertification after a later revocation', async () => {
    const { node, certify, start } = await open();
    const { store } = node;
    const fault = async (hash: string): Promise<string | null> => {
      const [found] = await store.recordScan.withHash(hash);
      if (found === undefined) throw new Error('the record is there');
      const options = { keySet: revokedKeys(), timestamps: checker(), verifiedAt: new Date().toISOString() };
      return storedFault(found.record, options);
    };
    const hash = await certify();
    expect(await fault(hash)).toBe('receipt: does not verify');
    start();
    await timestamped(node, hash);
    expect(await fault(hash)).toBeNull();
  });

  it('are requested again after recertification', async () => {
    const { node, certify, start } = await open();
    const hash = await certify();
    start();
    const first = await timestamped(node, hash);
    const { store } = node;
    const [found] = await store.recordScan.withHash(hash);
    if (found === undefined) throw new Error('the record is there');
    const facts = { attestationId: '7d9b4c6e-0000-4000-8000-000000000000', attestedAt: '2098-01-01T00:00:00.000Z' };
    const attestor = await node.deps.signing.attestorAt(new Date());
    await store.records.replaceAttestation(found.record, await attestedAnew(found.record, attestor, facts));
    const second = await timestamped(node, hash);
    expect(second['receipt']).not.toEqual(first['receipt']);
    expect(at(second, 'cer', 'meta', 'timestamps')).toHaveLength(1);
    expect(at(second, 'timestamp', 'token')).not.toBe(at(first, 'timestamp', 'token'));
    expect(await acceptedByOpenssl(second)).toContain('Verification: OK');
    const stored = await store.recordScan.withHash(hash);
    const meta: unknown = JSON.parse(stored[0]?.record.metaJson ?? '');
    expect(at(meta, 'attestationHistory', 0, 'timestamps')).toEqual(at(first, 'cer', 'meta', 'timestamps'));
  });
});
