import type { JsonObject } from '@cer/canonical-json';
import { keyFingerprint, parseKeySet } from '@cer/keys';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { evaluateCer, type Evaluation, type VerifyOptions } from '../../src/verify.js';
import * as forge from '../vectors/forge.js';

const keySet = parseKeySet(forge.keySet());
let certified: forge.JsonObject;
let resealed: forge.JsonObject;
let hashOnly: forge.JsonObject;

beforeAll(async () => {
  certified = await forge.attest(forge.seal(forge.v1()));
  resealed = await forge.reseal(forge.v1());
  hashOnly = await forge.attest(forge.hashOnly(), { envelope: false, receipt: { scope: 'hash-only' } });
});

async function evaluated(bundle: unknown, options: Partial<VerifyOptions> = {}): Promise<Evaluation> {
  return evaluateCer(bundle, { keySet, verifiedAt: forge.TIME, ...options });
}

describe('what is not a bundle', () => {
  const NOTHING = {
    ...{
      receipt: { status: 'SKIPPED', reason: 'no-attestation' },
      envelope: { status: 'SKIPPED', reason: 'no-envelope' },
    },
    nodeSignature: { status: 'SKIPPED', reason: 'no-attestation' },
    receiptConsistency: { status: 'SKIPPED', reason: 'no-attestation' },
    ...{ bundle: null, bundleType: null, certificateHash: null, computedCertificateHash: null },
    ...{ protocolVersion: null, canonicalization: null, isHashOnly: false, isResealed: false, relaxations: [] },
    ...{ supplemental: false, contentMode: null, signed: null, provenance: null, timestamp: null, timestamps: [] },
    transparency: {
      ...{ status: 'not-checked', code: null, origin: null, index: null, treeSize: null },
      ...{ loggedAfter: null, loggedBy: null, witnesses: [], detail: null },
    },
    ...{ keyRescue: null, revocationsKnownUntil: null, verifiedAt: forge.TIME },
  };
  const deep = (levels: number): unknown => (levels === 0 ? {} : { a: deep(levels - 1) });
  const hostile = new Proxy(
    {},
    {
      ownKeys: () => {
        throw new Error('hostile');
      },
    },
  );

  it.each<readonly [string, unknown, object]>([
    [
      'a project',
      { bundleType: 'cer.project.bundle.v1' },
      {
        ...{ code: 'SCHEMA_ERROR', member: 'bundleType', detail: 'is a project bundle: verify it as a project' },
      },
    ],
    [
      'a deep value',
      deep(200),
      {
        ...{ code: 'SCHEMA_ERROR', member: '', detail: 'nested deeper than 160 levels', reason: 'BUNDLE_CORRUPTED' },
      },
    ],
    [
      'an object that throws',
      hostile,
      {
        ...{ code: 'UNKNOWN_ERROR', member: '', detail: 'verification ended unexpectedly' },
      },
    ],
  ])('is one finding: %s', async (_name, input, finding) => {
    const found = await evaluated(input);
    expect(found).toMatchObject({
      status: 'FAILED',
      findings: [finding],
      integrity: { status: 'FAIL', findings: [finding] },
    });
    const { status, code, findings, integrity, ...rest } = found;
    expect([status, code]).toEqual(['FAILED', findings[0]?.code]);
    expect(integrity.status).toBe('FAIL');
    expect(rest).toEqual(NOTHING);
  });
});

describe('what a caller demands', () => {
  const PARTIAL = {
    code: 'INCOMPLETE_ARTIFACT',
    member: 'bundleType',
    detail: 'is not a full artifact, and one was demanded',
  };
  const UNSIGNED = {
    code: 'ATTESTATION_MISSING',
    member: 'meta.attestation',
    detail: 'is absent, and one was demanded',
  };

  it('is a full artifact', async () => {
    const options = { requireFullArtifact: true };
    expect((await evaluated(certified, options)).findings).toEqual([]);
    expect((await evaluated(resealed, options)).findings).toEqual([PARTIAL]);
    expect((await evaluated(hashOnly, options)).findings).toEqual([PARTIAL]);
    expect((await evaluated(resealed, { requireFullArtifact: false })).findings).toEqual([]);
  });

  it('is an attestation', async () => {
    const options = { requireAttestation: true };
    expect((await evaluated(certified, options)).findings).toEqual([]);
    expect((await evaluated(forge.seal(forge.v1()), options)).findings).toEqual([UNSIGNED]);
    expect((await evaluated(forge.seal(forge.v1()), { requireAttestation: false })).findings).toEqual([]);
  });
});

describe('what is shown of a bundle', () => {
  it('is its type, hashes and protocol', async () => {
    const certificateHash = forge.textAt(certified, 'certificateHash');
    expect(await evaluated(certified)).toMatchObject({
      ...{ status: 'VERIFIED', code: 'OK', bundle: certified, bundleType: 'cer.ai.execution.v1', certificateHash },
      ...{ computedCertificateHash: certificateHash, protocolVersion: '1.2.0', canonicalization: 'svc-v1' },
      ...{ isHashOnly: false, isResealed: false, relaxations: [], contentMode: null, keyRescue: null },
    });
    expect(await evaluated(hashOnly)).toMatchObject({
      ...{ bundleType: 'hash-only-timestamp', isHashOnly: true, protocolVersion: null, canonicalization: null },
    });
    expect(await evaluated(resealed)).toMatchObject({ bundleType: 'signed-redacted-reseal', isResealed: true });
  });

  it('is not a hash of another form or an unknown type', async () => {
    expect(await evaluated({ ...certified, certificateHash: 'sha256:x' })).toMatchObject({ certificateHash: null });
    expect(await evaluated({ ...certified, bundleType: 'unknown' })).toMatchObject({
      bundleType: null,
      protocolVersion: '1.2.0',
    });
    expect(await evaluated({ ...certified, bundleType: 'unknown', snapshot: 'text' })).toMatchObject({
      protocolVersion: null,
    });
  });

  it('is nothing of the reading of an unknown type', async () => {
    const unknown = await evaluated({ ...certified, bundleType: 'unknown' });
    expect(unknown).toMatchObject({ isResealed: false, relaxations: [], provenance: null });
  });

  it('is the time of a readable receipt', async () => {
    const timeOf = async (receipt: forge.Json): Promise<unknown> =>
      (await evaluated(forge.change(certified, 'meta.attestation.receipt', receipt))).timestamp;
    expect((await evaluated(certified)).timestamp).toEqual({ type: 'node-issued', status: 'verified' });
    const receipt = forge.object(forge.at(certified, 'meta.attestation.receipt'));
    expect(await timeOf({ ...receipt, nodeId: 'other' })).toEqual({ type: 'node-issued', status: 'invalid' });
    expect(await timeOf({})).toBeNull();
  });

  it('is what tokens may cover', async () => {
    const covered: string[] = [];
    const timestamps: VerifyOptions['timestamps'] = async ({ candidates }) => {
      covered.push(...candidates.map(({ covers }) => covers));
      return { status: 'not-checked' };
    };
    await evaluated(forge.change(certified, 'meta.timestamps', [{ type: 'rfc3161', token: 'AAAA' }]), { timestamps });
    expect(covered).toEqual(['receipt', 'content', 'content']);
  });

  it("is by the caller's protocols and types", async () => {
    const unsupported = { code: 'SCHEMA_ERROR', detail: 'is none that this verifier knows' };
    const [noProtocol] = (await evaluated(certified, { protocols: new Map() })).findings;
    expect(noProtocol).toMatchObject({ ...unsupported, member: 'snapshot.protocolVersion' });
    const [noType] = (await evaluated(certified, { bundleTypes: new Map() })).findings;
    expect(noType).toMatchObject({ ...unsupported, member: 'bundleType' });
  });

  it('is the protocol that it states, known or not', async () => {
    const unknown = forge.change(certified, 'snapshot.protocolVersion', '9.9.9');
    expect(await evaluated(unknown)).toMatchObject({ protocolVersion: '9.9.9', canonicalization: null });
  });

  it('is until when the key history vouches for the keys', async () => {
    expect((await evaluated(certified)).revocationsKnownUntil).toBeNull();
    const vouched = { ...keySet, revocationsKnownUntil: forge.TIME };
    expect((await evaluated(certified, { keySet: vouched })).revocationsKnownUntil).toBe(forge.TIME);
    expect((await evaluated(certified, { keySet: null })).revocationsKnownUntil).toBeNull();
  });

  it.each(['signals', 'declaration', 'context', 'contextSummary', 'policyEvaluation'])(
    'is whether %s is outside the hash',
    async (name) => {
      expect(await evaluated(certified)).toMatchObject({ supplemental: false });
      const isHashed = ['context', 'contextSummary', 'policyEvaluation'].includes(name);
      expect((await evaluated({ ...certified, [name]: {} })).supplemental).toBe(!isHashed);
      expect((await evaluated({ ...hashOnly, [name]: {} })).supplemental).toBe(true);
      expect((await evaluated({ ...certified, bundleType: 'unknown', [name]: {} })).supplemental).toBe(false);
    },
  );

  it('is confidential only with its commitments and a receipt', async () => {
    const bundle = forge.seal(forge.confidential());
    const mode = { contentMode: 'HASH_BOUND' };
    expect(await evaluated(await forge.attest(bundle))).toMatchObject({ status: 'VERIFIED_CONFIDENTIAL', ...mode });
    expect(await evaluated(bundle)).toMatchObject({ status: 'VERIFIED', ...mode });
    const resealedWhole = await forge.reseal(forge.confidential());
    expect(await evaluated(resealedWhole)).toMatchObject({ status: 'VERIFIED_CONFIDENTIAL', ...mode });
    for (const name of ['input', 'output']) {
      const without = await forge.reseal(forge.confidential({ [name]: '[REDACTED]' }));
      expect(await evaluated(without)).toMatchObject({ status: 'VERIFIED', ...mode });
    }
  });
});

describe('what is shown as signed', () => {
  const facts = {
    ...{ nodeId: forge.NODE_ID, kid: forge.ACTIVE.kid, keyFingerprint: keyFingerprint(forge.ACTIVE.publicKey) },
    ...{ keyStatus: 'active', attestedAt: forge.TIME, attestationId: forge.ATTESTATION_ID },
  };

  it('is the receipt, and the id that the envelope signs', async () => {
    expect((await evaluated(certified)).signed).toEqual(facts);
    const unsealed = await forge.attest(forge.seal(forge.v1()), { envelope: false });
    expect((await evaluated(unsealed)).signed).toEqual({ ...facts, attestationId: null });
  });

  it('is nothing of a receipt that fails', async () => {
    expect((await evaluated(forge.change(certified, 'meta.attestation.signature', 'x'))).signed).toBeNull();
    expect((await evaluated(forge.seal(forge.v1()))).signed).toBeNull();
  });

  it('is the provenance proven by the receipt, else the claimed one', async () => {
    const stated = { originalCertificateHash: forge.ORIGINAL_HASH, redactionPolicy: forge.POLICY };
    expect((await evaluated(resealed)).provenance).toEqual({ state: 'proven', ...stated });
    const unsigned = forge.change(resealed, 'meta.attestation', undefined);
    expect((await evaluated(unsigned)).provenance).toEqual({ state: 'claimed', ...stated });
    const provenanceOf = async (provenance: forge.Json | undefined): Promise<unknown> =>
      (await evaluated(forge.change(unsigned, 'meta.provenance', provenance))).provenance;
    const nothing = { state: 'claimed', originalCertificateHash: null, redactionPolicy: null };
    expect(await provenanceOf({ originalCertificateHash: 7, redactionPolicy: 'a policy' })).toEqual({
      ...nothing,
      redactionPolicy: 'a policy',
    });
    expect(await provenanceOf('text')).toEqual(nothing);
    expect((await evaluated({ ...unsigned, meta: 'text' })).provenance).toEqual(nothing);
    expect((await evaluated(certified)).provenance).toBeNull();
  });
});

describe('a key that was revoked', () => {
  const revoked = parseKeySet(
    forge.keySetWith({ status: 'revoked', revokedAt: '2026-02-01T00:00:00.000Z', revocationReason: 'superseded' }),
  );
  const timestamped = (bundle: forge.JsonObject): JsonObject =>
    forge.change(bundle, 'meta.timestamps', [{ type: 'rfc3161', token: 'AAAA' }]);
  const timestamps: VerifyOptions['timestamps'] = async () => ({
    ...{
      status: 'verified',
      covers: 'receipt',
      genTime: '2026-01-03T00:00:00Z',
      accuracy: 0,
      provider: 'an authority',
    },
  });

  it('is rescued by a timestamp, which covers no envelope', async () => {
    const found = await evaluated(timestamped(certified), { keySet: revoked, timestamps });
    expect(found).toMatchObject({
      status: 'VERIFIED',
      keyRescue: { kid: forge.ACTIVE.kid, genTime: '2026-01-03T00:00:00Z' },
      signed: { keyStatus: 'revoked', attestationId: null },
      timestamp: { type: 'rfc3161', status: 'verified' },
    });
  });

  it('rescues nothing where the receipt fails otherwise', async () => {
    const other = forge.change(certified, 'meta.attestation.nodeId', 'other');
    const found = await evaluated(timestamped(other), { keySet: revoked, timestamps });
    expect(found).toMatchObject({ status: 'FAILED', keyRescue: null, signed: null });
  });
});
