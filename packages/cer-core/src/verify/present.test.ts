import type { JsonObject } from '@cer/canonical-json';
import { describe, expect, it } from '@jest/globals';
import { attestHashOnly } from '../attest/attest.js';
import { sha256 } from '../hash.js';
import {
  certified,
  CONFIDENTIAL_MEMBERS,
  sealed,
  testKeys,
  TEST_ATTESTOR,
  TEST_NODE_ID,
  TEST_SIGNER,
  TEST_TIME,
} from '../testing/index.js';
import { evaluateCer } from './evaluate.js';
import type { Evaluation } from './evaluation.js';
import { classify, toNodeVerifyResponse, toReport, toStructuredResult } from './present.js';

const verify = (bundle: unknown): Promise<Evaluation> =>
  evaluateCer(bundle, { keySet: testKeys(), verifiedAt: TEST_TIME });
const hash = (bundle: JsonObject): unknown => bundle['certificateHash'];
const v2 = { bundleType: 'cer.ai.execution.v2', protocolVersion: '1.3.0', executionRole: 'advisory' };

describe('the three shapes of one verification', () => {
  it('of a certified bundle', async () => {
    const bundle = await certified();
    const evaluation = await verify(bundle);
    expect(toReport(evaluation, 'cli/0.1.0')).toEqual({
      status: 'VERIFIED',
      checks: { bundleIntegrity: 'PASS', nodeSignature: 'PASS', receiptConsistency: 'PASS', envelope: 'PASS' },
      reasonCodes: [],
      certificateHash: hash(bundle),
      bundleType: 'cer.ai.execution.v1',
      verifiedAt: TEST_TIME,
      verifier: 'cli/0.1.0',
    });
    expect(toNodeVerifyResponse(evaluation)).toEqual({
      status: 'verified',
      reasonCode: 'OK',
      checks: { structure: 'pass', certificateHash: 'pass', inputHash: 'pass', outputHash: 'pass', signature: 'pass' },
      computedCertificateHash: hash(bundle),
      classification: 'VERIFIED',
      timestamp: { type: 'node-issued', status: 'verified' },
    });
    expect(toStructuredResult(evaluation)).toEqual({
      ok: true,
      errors: [],
      code: 'OK',
      verdict: 'VERIFIED',
      assurance: 'strict',
      verifiedUnder: { canonicalization: 'svc-v1', protocolVersion: '1.2.0' },
      anchorStatus: 'none',
      timestampStatus: 'verified',
      supplemental: false,
    });
    expect(evaluation.signed).toMatchObject({
      nodeId: TEST_NODE_ID,
      kid: TEST_SIGNER.kid,
      keyStatus: 'active',
      attestedAt: TEST_TIME,
    });
    expect(evaluation.signed?.attestationId).toBe('11111111-2222-4333-8444-555555555555');
  });

  it('of a sealed bundle without signature', async () => {
    const evaluation = await verify(sealed().bundle);
    expect(toReport(evaluation, 'cli/0.1.0').checks).toEqual({
      bundleIntegrity: 'PASS',
      nodeSignature: 'SKIPPED',
      receiptConsistency: 'SKIPPED',
      envelope: 'SKIPPED',
    });
    expect(toNodeVerifyResponse(evaluation)).toMatchObject({
      checks: { signature: 'skipped' },
      timestamp: null,
      classification: 'VERIFIED',
    });
    expect(toStructuredResult(evaluation)).toMatchObject({ ok: true, timestampStatus: null });
    expect(evaluation.signed).toBeNull();
  });

  it('of a confidential bundle', async () => {
    const evaluation = await verify(await certified(CONFIDENTIAL_MEMBERS));
    expect(toReport(evaluation, 'cli/0.1.0')).toMatchObject({
      status: 'VERIFIED_CONFIDENTIAL',
      contentMode: 'HASH_BOUND',
    });
    expect(toNodeVerifyResponse(evaluation)).toMatchObject({
      status: 'verified',
      classification: 'VERIFIED',
      contentMode: 'HASH_BOUND',
    });
    expect(toStructuredResult(evaluation)).toMatchObject({
      verdict: 'VERIFIED_CONFIDENTIAL',
      contentMode: 'HASH_BOUND',
      verifiedUnder: { canonicalization: 'jcs-v1', protocolVersion: '1.3.1' },
    });
  });

  it('of a changed bundle: the hashes, and no verdict', async () => {
    const bundle = { ...(await certified()), createdAt: '2020-01-01T00:00:00Z' };
    const evaluation = await verify(bundle);
    const { computedCertificateHash } = toNodeVerifyResponse(evaluation);
    expect(toNodeVerifyResponse(evaluation)).toMatchObject({
      status: 'failed',
      reasonCode: 'CERTIFICATE_HASH_MISMATCH',
      checks: { structure: 'pass', certificateHash: 'fail', inputHash: 'pass', signature: 'fail' },
      classification: 'FAILED',
    });
    expect(computedCertificateHash).not.toBe(hash(bundle));
    const structured = toStructuredResult(evaluation);
    expect(structured).toMatchObject({ ok: false, code: 'CERTIFICATE_HASH_MISMATCH' });
    expect(structured).not.toHaveProperty('verdict');
    expect(structured.details?.[0]).toMatchObject({
      member: 'certificateHash',
      expected: hash(bundle),
      computed: computedCertificateHash,
    });
    expect(structured.errors[0]).toContain(String(computedCertificateHash));
  });

  it('of a bundle with a bad signature', async () => {
    const bundle = await certified();
    const meta = bundle['meta'] as { readonly attestation: JsonObject };
    const evaluation = await verify({
      ...bundle,
      meta: { ...meta, attestation: { ...meta.attestation, signature: 'x' } },
    });
    expect(toNodeVerifyResponse(evaluation)).toMatchObject({
      reasonCode: 'SIGNATURE_INVALID',
      checks: { certificateHash: 'pass', signature: 'fail' },
      timestamp: { type: 'node-issued', status: 'invalid' },
    });
    expect(toReport(evaluation, 'cli/0.1.0').reasonCodes).toEqual(['ATTESTATION_INVALID_SIGNATURE']);
  });

  it('of an input that does not hash to its hash', async () => {
    const bundle = sealed().bundle;
    const snapshot = bundle['snapshot'] as JsonObject;
    const evaluation = await verify({ ...bundle, snapshot: { ...snapshot, input: 'another' } });
    expect(toNodeVerifyResponse(evaluation)).toMatchObject({
      reasonCode: 'INPUT_HASH_MISMATCH',
      checks: { inputHash: 'fail', outputHash: 'pass' },
    });
  });

  it('of v2, which has no such hashes', async () => {
    expect(toNodeVerifyResponse(await verify(sealed(v2).bundle)).checks).toMatchObject({
      inputHash: 'skipped',
      outputHash: 'skipped',
    });
  });

  it('of a hash alone', async () => {
    const certificateHash = sha256('x');
    const meta = await attestHashOnly(certificateHash, TEST_ATTESTOR, { attestationId: 'a', attestedAt: TEST_TIME });
    const bundle = {
      bundleType: 'hash-only-timestamp',
      version: '0.1',
      createdAt: TEST_TIME,
      snapshot: null,
      certificateHash,
    };
    const checks = { structure: 'pass', certificateHash: 'pass', inputHash: 'skipped', outputHash: 'skipped' };
    expect(toNodeVerifyResponse(await verify({ ...bundle, meta }))).toMatchObject({
      checks: { ...checks, signature: 'pass' },
      computedCertificateHash: null,
    });
    expect(classify(await verify(bundle))).toBe('UNVERIFIABLE');
  });

  it('of an input that is not a bundle', async () => {
    const evaluation = await verify('text');
    expect(toNodeVerifyResponse(evaluation)).toMatchObject({
      status: 'failed',
      checks: { structure: 'fail', certificateHash: 'fail', inputHash: 'skipped', signature: 'skipped' },
      computedCertificateHash: null,
      timestamp: null,
    });
    expect(toReport(evaluation, 'cli/0.1.0')).toMatchObject({ certificateHash: null, bundleType: null });
    expect(toStructuredResult(evaluation)).not.toHaveProperty('verifiedUnder');
  });

  it('of a bundle with unprotected members', async () => {
    const evaluation = await verify({ ...sealed().bundle, declaration: {} });
    expect(toReport(evaluation, 'cli/0.1.0').reasonCodes).toEqual(['CONTEXT_NOT_PROTECTED']);
    expect(toStructuredResult(evaluation)).toMatchObject({ ok: true, supplemental: true });
  });
});
