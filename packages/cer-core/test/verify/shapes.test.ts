import { parseKeySet } from '@cer/keys';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { FailureCode } from '../../src/errors.js';
import { evaluateCer, toNodeVerifyResponse, toReport, type Evaluation } from '../../src/verify.js';
import type { Finding } from '../../src/finding.js';
import type { KeyRescue } from '../../src/verify/key-rescue.js';
import { failWith } from '../../src/verify/layer.js';
import { classify, toStructuredResult } from '../../src/verify/present.js';
import * as forge from '../vectors/forge.js';

let verified: Evaluation;

beforeAll(async () => {
  const bundle = await forge.attest(forge.seal(forge.v1()));
  verified = await evaluateCer(bundle, { keySet: parseKeySet(forge.keySet()), verifiedAt: forge.TIME });
});

const finding = (code: FailureCode, member = 'member'): Finding => ({ code, member, detail: 'is wrong' });
const SKIPPED = { status: 'SKIPPED', reason: 'no-attestation' } as const;

/** The verified evaluation with these findings and members. */
function evaluation(findings: readonly Finding[], members: Partial<Evaluation> = {}): Evaluation {
  const [first] = findings;
  const failed = first === undefined ? {} : ({ status: 'FAILED', code: first.code } as const);
  return { ...verified, ...failed, findings, ...members };
}

/** As {@link evaluation}, where the content is at fault. */
function broken(first: Finding, members: Partial<Evaluation> = {}): Evaluation {
  return evaluation([first], { integrity: failWith(first), ...members });
}

const checksOf = (shown: Evaluation) => toNodeVerifyResponse(shown).checks;

describe('the structure of a bundle', () => {
  it.each<FailureCode>([
    ...(['SCHEMA_ERROR', 'SCHEMA_KEY_INVALID', 'PROTECTED_FIELD_MISSING', 'PROTECTED_SET_MISMATCH'] as const),
    ...(['INVALID_SHA256_FORMAT', 'UNKNOWN_ERROR'] as const),
  ])('is at fault with %s', (code) => {
    expect(checksOf(broken(finding(code))).structure).toBe('fail');
  });

  it('is not with a hash or a signature', () => {
    expect(checksOf(broken(finding('CERTIFICATE_HASH_MISMATCH'))).structure).toBe('pass');
    expect(checksOf(evaluation([finding('ATTESTATION_INVALID_SIGNATURE')])).structure).toBe('pass');
  });
});

describe('the certificate hash', () => {
  it('is right where the content is, whatever else is wrong', () => {
    const wrong = finding('ATTESTATION_INVALID_SIGNATURE', 'certificateHash');
    expect(checksOf(evaluation([wrong])).certificateHash).toBe('pass');
  });

  it('is wrong where a finding names it or nothing was hashed', () => {
    const other = finding('SCHEMA_ERROR', 'snapshot');
    const wrong = finding('CERTIFICATE_HASH_MISMATCH', 'certificateHash');
    expect(checksOf(broken(wrong)).certificateHash).toBe('fail');
    expect(checksOf(broken(wrong, { isHashOnly: true, computedCertificateHash: null })).certificateHash).toBe('fail');
    expect(checksOf(broken(other)).certificateHash).toBe('pass');
    expect(checksOf(broken(other, { computedCertificateHash: null })).certificateHash).toBe('fail');
    expect(checksOf(broken(other, { computedCertificateHash: null, isHashOnly: true })).certificateHash).toBe('pass');
  });
});

describe('the hashes of input and output', () => {
  it.each([
    ['snapshot.inputHash', 'fail', 'pass'],
    ['snapshot.input', 'fail', 'pass'],
    ['snapshot.outputHash', 'pass', 'fail'],
    ['snapshot.output', 'pass', 'fail'],
    ['snapshot', 'fail', 'fail'],
    ['snapshot.model', 'pass', 'pass'],
    ['', 'pass', 'pass'],
  ])('after a fault of "%s"', (member, inputHash, outputHash) => {
    expect(checksOf(broken(finding('SCHEMA_ERROR', member)))).toMatchObject({ inputHash, outputHash });
  });

  it.each<readonly [string, Partial<Evaluation>]>([
    ['without a type', { bundleType: null }],
    ['of a hash alone', { isHashOnly: true }],
    ['of a reseal', { isResealed: true }],
    ['of v2', { bundleType: 'cer.ai.execution.v2' }],
    ['of a render', { bundleType: 'cer.codemode.render.v1' }],
    ['of a flat render record', { relaxations: ['flat-render-record'] }],
  ])('are not there %s', (_name, members) => {
    expect(checksOf(broken(finding('SCHEMA_ERROR', 'snapshot'), members))).toMatchObject({
      inputHash: 'skipped',
      outputHash: 'skipped',
    });
  });

  it('are there under any other relaxation', () => {
    expect(checksOf(evaluation([], { relaxations: ['context-excluded'] }))).toMatchObject({ inputHash: 'pass' });
  });
});

describe('the signature', () => {
  const wrong = finding('ATTESTATION_INVALID_SIGNATURE');
  it('is checked by receipt and envelope', () => {
    expect(checksOf(evaluation([])).signature).toBe('pass');
    expect(checksOf(evaluation([wrong], { receipt: failWith(wrong) })).signature).toBe('fail');
    expect(checksOf(evaluation([wrong], { envelope: failWith(wrong) })).signature).toBe('fail');
  });

  it('is missed only where it was demanded', () => {
    expect(checksOf(evaluation([], { receipt: SKIPPED })).signature).toBe('skipped');
    const missing = finding('ATTESTATION_MISSING');
    expect(checksOf(evaluation([missing], { receipt: SKIPPED })).signature).toBe('fail');
    expect(checksOf(evaluation([finding('INCOMPLETE_ARTIFACT')], { receipt: SKIPPED })).signature).toBe('skipped');
  });

  it('has its own code where it is the first fault', () => {
    const hash = finding('CERTIFICATE_HASH_MISMATCH');
    expect(toNodeVerifyResponse(evaluation([wrong, hash])).reasonCode).toBe('SIGNATURE_INVALID');
    expect(toNodeVerifyResponse(evaluation([hash, wrong])).reasonCode).toBe('CERTIFICATE_HASH_MISMATCH');
    expect(toNodeVerifyResponse(evaluation([])).reasonCode).toBe('OK');
  });
});

describe('the classification', () => {
  it.each<readonly [string, FailureCode, Partial<Evaluation>]>([
    ['UNVERIFIABLE', 'VERIFICATION_MATERIAL_UNAVAILABLE', {}],
    ['UNVERIFIABLE', 'VERIFICATION_MATERIAL_UNAVAILABLE', { isHashOnly: true }],
    ['UNVERIFIABLE', 'ATTESTATION_MISSING', { isHashOnly: true }],
    ['FAILED', 'ATTESTATION_MISSING', {}],
    ['FAILED', 'CERTIFICATE_HASH_MISMATCH', { isHashOnly: true }],
    ['FAILED', 'CERTIFICATE_HASH_MISMATCH', { relaxations: ['flat-render-record'] }],
  ])('is %s with %s and %p', (expected, code, members) => {
    expect(classify(evaluation([finding(code)], members))).toBe(expected);
  });

  it('is that of an older shape', () => {
    const older = evaluation([], { relaxations: ['flat-render-record'] });
    expect(classify(older)).toBe('LEGACY_VERIFIED');
    expect(toStructuredResult(older)).toMatchObject({
      assurance: 'legacy-relaxed',
      relaxations: ['flat-render-record'],
    });
    expect(classify(verified)).toBe('VERIFIED');
    expect(toStructuredResult(verified)).not.toHaveProperty('relaxations');
  });
});

describe('what is shown only where it is there', () => {
  const shapesOf = (members: Partial<Evaluation>) => {
    const shown = evaluation([], members);
    return [toReport(shown, 'test/1'), toNodeVerifyResponse(shown), toStructuredResult(shown)];
  };

  it('is the content mode', () => {
    for (const shape of shapesOf({ contentMode: 'HASH_BOUND' }))
      expect(shape).toMatchObject({ contentMode: 'HASH_BOUND' });
    for (const shape of shapesOf({ contentMode: null })) expect(shape).not.toHaveProperty('contentMode');
  });

  it('is the rescue of a revoked key', () => {
    const keyRescue: KeyRescue = {
      kid: 'a',
      revocationReason: 'superseded',
      before: 'revokedAt',
      limit: forge.TIME,
      genTime: forge.TIME,
      accuracy: 0,
      provider: 'an authority',
    };
    for (const shape of shapesOf({ keyRescue })) expect(shape).toMatchObject({ keyRescue });
    for (const shape of shapesOf({})) expect(shape).not.toHaveProperty('keyRescue');
  });

  it('is until when revocations are known', () => {
    for (const shape of shapesOf({ revocationsKnownUntil: forge.TIME })) {
      expect(shape).toMatchObject({ revocationsKnownUntil: forge.TIME });
    }
    for (const shape of shapesOf({})) expect(shape).not.toHaveProperty('revocationsKnownUntil');
  });

  it('is an external timestamp, in the report', () => {
    const timestamp = { type: 'rfc3161', status: 'untrusted' } as const;
    const [report, , structured] = shapesOf({ timestamp });
    expect(report).toMatchObject({ timestamp });
    expect(structured).toMatchObject({ anchorStatus: 'present', timestampStatus: 'untrusted' });
    const [own, , ownStructured] = shapesOf({ timestamp: { type: 'node-issued', status: 'verified' } });
    expect(own).not.toHaveProperty('timestamp');
    expect(ownStructured).toMatchObject({ anchorStatus: 'none', timestampStatus: 'verified' });
    expect(shapesOf({ timestamp: null })[0]).not.toHaveProperty('timestamp');
  });

  it('is the transparency, in the report', () => {
    const transparency = { ...verified.transparency, status: 'absent', code: 'LOG_PROOF_MISSING' } as const;
    expect(shapesOf({ transparency })[0]).toMatchObject({ transparency });
    expect(shapesOf({})[0]).not.toHaveProperty('transparency');
  });

  it('are both hashes of a reseal with proven provenance', () => {
    const provenance = { originalCertificateHash: forge.ORIGINAL_HASH, redactionPolicy: null } as const;
    const [proven] = shapesOf({ provenance: { ...provenance, state: 'proven' } });
    expect(proven).toMatchObject({
      originalCertificateHash: forge.ORIGINAL_HASH,
      resealedCertificateHash: verified.certificateHash,
    });
    const none: readonly Partial<Evaluation>[] = [
      { provenance: { ...provenance, state: 'claimed' } },
      { provenance: { state: 'proven', originalCertificateHash: null, redactionPolicy: null } },
      { provenance: { ...provenance, state: 'proven' }, certificateHash: null },
      { provenance: null },
    ];
    for (const members of none) {
      expect(shapesOf(members)[0]).not.toHaveProperty('originalCertificateHash');
      expect(shapesOf(members)[0]).not.toHaveProperty('resealedCertificateHash');
    }
  });
});

it('the reason codes list each code and specific reason once', () => {
  const findings = [
    finding('CERTIFICATE_HASH_MISMATCH'),
    { ...finding('SCHEMA_ERROR'), reason: 'SCHEMA_VERSION_UNSUPPORTED' } as const,
    finding('CERTIFICATE_HASH_MISMATCH', 'another'),
  ];
  const codes = ['CERTIFICATE_HASH_MISMATCH', 'SCHEMA_ERROR', 'SCHEMA_VERSION_UNSUPPORTED'];
  expect(toReport(evaluation(findings), 'test/1').reasonCodes).toEqual(codes);
  expect(toReport(evaluation(findings, { supplemental: true }), 'test/1').reasonCodes).toEqual([
    ...codes,
    'CONTEXT_NOT_PROTECTED',
  ]);
});
