import type { JsonObject } from '@cer/canonical-json';
import { verify, createPublicKey } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { toSpki } from '@cer/keys';
import { sha256 } from '../hash.js';
import {
  attested,
  certified,
  sealed,
  testKeys,
  TEST_ATTESTOR,
  TEST_NODE_ID,
  TEST_SIGNER,
  TEST_TIME,
} from '../testing/index.js';
import { evaluateCer } from '../verify/evaluate.js';
import { attestBundle, attestHashOnly, attestProject } from './attest.js';
import { ENVELOPE_ATTESTATION_MEMBERS } from './envelope.js';
import { readReceipt, RECEIPT_MEMBERS } from './receipt.js';

const facts = { attestationId: '11111111-2222-4333-8444-555555555555', attestedAt: TEST_TIME };
const key = createPublicKey({ key: Buffer.from(toSpki(TEST_SIGNER.publicKey)), format: 'der', type: 'spki' });
const holds = (text: string, signature: unknown): boolean =>
  verify(null, Buffer.from(text), key, Buffer.from(String(signature), 'base64url'));

describe('an attestation', () => {
  it('signs the canonical receipt, as OpenSSL sees it', async () => {
    const { bundle, certificateHash } = sealed();
    const { attestation } = await attestBundle(sealed(), TEST_ATTESTOR, facts);
    const text = `{"certificateHash":"${certificateHash}","kid":"${TEST_SIGNER.kid}","nodeId":"${TEST_NODE_ID}","timestamp":"${TEST_TIME}"}`;
    expect(holds(text, attestation['signature'])).toBe(true);
    expect(holds(`${text} `, attestation['signature'])).toBe(false);
    expect(Object.keys(attestation).sort()).toEqual(
      [
        'receipt',
        'signature',
        'kid',
        'attestationId',
        'attestedAt',
        'nodeId',
        'nodeRuntimeHash',
        'protocolVersion',
        'bundleType',
        'certificateHash',
        'timestamp',
      ].sort(),
    );
    expect(attestation).toMatchObject({
      bundleType: bundle['bundleType'],
      protocolVersion: '1.2.0',
      attestedAt: TEST_TIME,
    });
  });

  it('signs attestation and content together in its envelope', async () => {
    const { bundle } = sealed({ signals: [] });
    const meta = await attestBundle(sealed({ signals: [] }), TEST_ATTESTOR, facts);
    const snapshot = JSON.parse(JSON.stringify(bundle['snapshot'])) as Record<string, unknown>;
    const sorted = Object.fromEntries(Object.entries(snapshot).sort(([left], [right]) => (left < right ? -1 : 1)));
    const text =
      `{"attestation":{"attestationId":"${facts.attestationId}","attestedAt":"${TEST_TIME}","kid":"${TEST_SIGNER.kid}",` +
      `"nodeRuntimeHash":"${TEST_ATTESTOR.nodeRuntimeHash}","protocolVersion":"1.2.0"},` +
      `"bundle":{"bundleType":"cer.ai.execution.v1","context":{"signals":[]},"createdAt":"${TEST_TIME}",` +
      `"snapshot":${JSON.stringify(sorted)},"version":"0.1"}}`;
    expect(holds(text, meta.verificationEnvelopeSignature)).toBe(true);
    expect(meta.verificationEnvelope).toMatchObject({
      envelopeType: 'svc.verification.envelope.v2',
      specVersion: '0.16.1',
      algorithm: 'Ed25519',
      canonicalization: 'jcs',
      scope: 'whitelist',
      signedFields: {
        attestation: [...ENVELOPE_ATTESTATION_MEMBERS],
        bundle: ['bundleType', 'version', 'createdAt', 'snapshot', 'context'],
      },
    });
  });

  it('omits an envelope that could not be reconstructed', async () => {
    const bundle = await attested(sealed({ parameters: { note: '\ud800' } }));
    expect(bundle['meta']).not.toHaveProperty('verificationEnvelope');
    await expect(evaluateCer(bundle, { keySet: testKeys(), verifiedAt: TEST_TIME })).resolves.toMatchObject({
      status: 'VERIFIED',
      receipt: { status: 'PASS' },
      envelope: { status: 'SKIPPED' },
    });
  });

  it('of a hash alone has the hash-only scope', async () => {
    const { attestation, verificationEnvelope } = await attestHashOnly(sha256('x'), TEST_ATTESTOR, facts);
    expect(attestation).toMatchObject({
      protocolVersion: null,
      bundleType: 'hash-only-timestamp',
      receipt: { scope: 'hash-only' },
    });
    expect(verificationEnvelope).toBeUndefined();
  });

  it('of a project signs its hash and registration time', async () => {
    const { receipt, signature } = await attestProject(sha256('p'), TEST_TIME, TEST_ATTESTOR);
    expect(
      holds(
        `{"kid":"${TEST_SIGNER.kid}","nodeId":"${TEST_NODE_ID}","projectHash":"${sha256('p')}","registeredAt":"${TEST_TIME}"}`,
        signature,
      ),
    ).toBe(true);
    expect(readReceipt(receipt).receipt?.scope).toBe('project');
  });

  it('is the same bytes each time: Ed25519 is deterministic', async () => {
    expect(JSON.stringify(await certified())).toBe(JSON.stringify(await certified()));
  });
});

describe('receipts', () => {
  const full: JsonObject = { certificateHash: sha256('x'), timestamp: TEST_TIME, nodeId: 'n', kid: 'k' };
  const byScope: Readonly<Record<string, JsonObject>> = {
    full,
    'hash-only': { ...full, scope: 'hash-only' },
    reseal: { ...full, scope: 'reseal', originalCertificateHash: sha256('y'), redactionPolicy: 'public.v1:' },
    project: { projectHash: sha256('x'), registeredAt: TEST_TIME, nodeId: 'n', kid: 'k' },
  };

  it.each(Object.entries(byScope))('of scope %s are recognized by their members', (scope, payload) => {
    expect(readReceipt(payload).receipt).toMatchObject({
      scope,
      isLegacy: false,
      hash: sha256('x'),
      timestamp: TEST_TIME,
    });
    for (const name of Object.keys(payload)) {
      const lacking = Object.fromEntries(Object.entries(payload).filter(([other]) => other !== name));
      expect(readReceipt(lacking).receipt?.scope).not.toBe(scope);
    }
    expect(readReceipt({ ...payload, extra: 1 })).toMatchObject({ receipt: null, fault: 'malformed' });
  });

  it('have disjoint member sets', () => {
    const sets = Object.values(RECEIPT_MEMBERS).map((names) => [...names].sort().join());
    expect(new Set(sets).size).toBe(sets.length);
  });

  it.each<[string, JsonObject]>([
    ['a malformed hash', { ...full, certificateHash: 'x' }],
    ['a malformed time', { ...full, timestamp: 'now' }],
    ['a kid that is not text', { ...full, kid: 7 }],
    ['an unknown scope', { ...full, scope: 'project' }],
    ['a scope that is not text', { ...full, scope: null }],
    ['two hashes', { ...full, projectHash: sha256('x') }],
    ['an original that is not a hash', { ...full, scope: 'reseal', originalCertificateHash: 'x', redactionPolicy: '' }],
  ])('with %s are refused', (_, payload) => {
    expect(readReceipt(payload).receipt).toBeNull();
  });
});
