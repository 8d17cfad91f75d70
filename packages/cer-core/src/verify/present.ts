import type { Finding } from '../finding.js';
import { describeFinding } from '../finding.js';
import type { Evaluation } from './evaluation.js';
import type { KeyRescue } from './key-rescue.js';
import type { LayerOutcome } from './layer.js';
import type { ReportedTimestamp } from './reported-timestamp.js';

// The documented result shapes. Each is a view of one evaluation, so they cannot disagree.

type LayerStatus = LayerOutcome['status'];

/** The rollup report of CLI and verifier site. @see docs/spec.md, "Verification report" */
export interface VerificationReport {
  readonly status: 'VERIFIED' | 'VERIFIED_CONFIDENTIAL' | 'FAILED' | 'NOT_FOUND';
  readonly checks: {
    readonly bundleIntegrity: LayerStatus;
    readonly nodeSignature: LayerStatus;
    readonly receiptConsistency: LayerStatus;
    readonly envelope: LayerStatus;
  };
  /** Empty on success, but for CONTEXT_NOT_PROTECTED beside a supplemental bundle. */
  readonly reasonCodes: readonly string[];
  readonly certificateHash: string | null;
  /** Only for a proven reseal: the certificate that it was made from, whose content is not here and was not hashed. */
  readonly originalCertificateHash?: string;
  /** Only for a proven reseal: the hash that was recomputed from the published content. */
  readonly resealedCertificateHash?: string;
  readonly bundleType: string | null;
  readonly verifiedAt: string;
  readonly verifier: string;
  readonly contentMode?: 'HASH_BOUND';
  /** The best external timestamp, when there is any. */
  readonly timestamp?: Evaluation['timestamp'];
  /** Present where the caller pinned a policy. */
  readonly transparency?: Evaluation['transparency'];
  readonly keyRescue?: KeyRescue;
  readonly revocationsKnownUntil?: string;
}

/** `<package>/<version>` of the verifier. */
export type VerifierName = `${string}/${string}`;

export function toReport(evaluation: Evaluation, verifier: VerifierName): VerificationReport {
  const { integrity, nodeSignature, receiptConsistency, envelope } = evaluation;
  return {
    status: evaluation.status,
    checks: {
      bundleIntegrity: integrity.status,
      nodeSignature: nodeSignature.status,
      receiptConsistency: receiptConsistency.status,
      envelope: envelope.status,
    },
    reasonCodes: reasonCodesOf(evaluation),
    certificateHash: evaluation.certificateHash,
    ...resealedHashesOf(evaluation),
    bundleType: evaluation.bundleType,
    verifiedAt: evaluation.verifiedAt,
    verifier,
    ...contentModeOf(evaluation),
    ...(evaluation.timestamp?.type === 'rfc3161' && { timestamp: evaluation.timestamp }),
    ...(evaluation.transparency.status !== 'not-checked' && { transparency: evaluation.transparency }),
    ...keyRescueOf(evaluation),
    ...revocationsKnownUntilOf(evaluation),
  };
}

function resealedHashesOf({
  certificateHash,
  provenance,
}: Evaluation): Pick<VerificationReport, 'originalCertificateHash' | 'resealedCertificateHash'> {
  const original = provenance?.state === 'proven' ? provenance.originalCertificateHash : null;
  if (original === null || certificateHash === null) return {};
  return { originalCertificateHash: original, resealedCertificateHash: certificateHash };
}

function reasonCodesOf({ findings, supplemental }: Evaluation): string[] {
  const codes = findings.flatMap(({ code, reason }) => (reason === undefined ? [code] : [code, reason]));
  return [...new Set([...codes, ...(supplemental ? ['CONTEXT_NOT_PROTECTED'] : [])])];
}

function contentModeOf({ contentMode }: Evaluation): { readonly contentMode?: 'HASH_BOUND' } {
  return contentMode === null ? {} : { contentMode };
}

/** The timestamp that verifies a record under a revoked key; absent for every other record. */
function keyRescueOf({ keyRescue }: Evaluation): { readonly keyRescue?: KeyRescue } {
  return keyRescue === null ? {} : { keyRescue };
}

/** Present only where a key history vouches for the keys. @see docs/spec.md, "Key history verification" */
function revocationsKnownUntilOf({ revocationsKnownUntil }: Evaluation): { readonly revocationsKnownUntil?: string } {
  return revocationsKnownUntil === null ? {} : { revocationsKnownUntil };
}

type Check = 'pass' | 'fail' | 'skipped';
export type Classification = 'VERIFIED' | 'LEGACY_VERIFIED' | 'UNVERIFIABLE' | 'FAILED';

/** The answer of `POST /v1/cer/verify`. @see docs/spec.md, "POST /v1/cer/verify" */
export interface NodeVerifyResponse {
  readonly status: 'verified' | 'failed';
  readonly reasonCode: string;
  readonly checks: Readonly<Record<'structure' | 'certificateHash' | 'inputHash' | 'outputHash' | 'signature', Check>>;
  readonly computedCertificateHash: string | null;
  readonly classification: Classification;
  readonly timestamp: Evaluation['timestamp'];
  readonly contentMode?: 'HASH_BOUND';
  readonly keyRescue?: KeyRescue;
  readonly revocationsKnownUntil?: string;
}

const STRUCTURE_CODES: ReadonlySet<string> = new Set([
  'SCHEMA_ERROR',
  'SCHEMA_KEY_INVALID',
  'PROTECTED_FIELD_MISSING',
  'PROTECTED_SET_MISMATCH',
  'INVALID_SHA256_FORMAT',
  'UNKNOWN_ERROR',
]);

export function toNodeVerifyResponse(evaluation: Evaluation): NodeVerifyResponse {
  const { status, findings, receipt, envelope, computedCertificateHash, timestamp } = evaluation;
  const codes = new Set(findings.map(({ code }) => code));
  return {
    status: status === 'FAILED' ? 'failed' : 'verified',
    reasonCode: nodeReasonCode(evaluation),
    checks: {
      structure: findings.some(({ code }) => STRUCTURE_CODES.has(code)) ? 'fail' : 'pass',
      certificateHash: certificateHashCheck(evaluation),
      inputHash: valueHashCheck(evaluation, 'inputHash'),
      outputHash: valueHashCheck(evaluation, 'outputHash'),
      signature:
        receipt.status === 'FAIL' || envelope.status === 'FAIL' || codes.has('ATTESTATION_MISSING')
          ? 'fail'
          : receipt.status === 'SKIPPED'
            ? 'skipped'
            : 'pass',
    },
    computedCertificateHash,
    classification: classify(evaluation),
    timestamp,
    ...contentModeOf(evaluation),
    ...keyRescueOf(evaluation),
    ...revocationsKnownUntilOf(evaluation),
  };
}

function nodeReasonCode({ code, findings }: Evaluation): string {
  const isSignatureFault = findings[0]?.code === 'ATTESTATION_INVALID_SIGNATURE';
  return isSignatureFault ? 'SIGNATURE_INVALID' : code;
}

function certificateHashCheck({ integrity, findings, isHashOnly, computedCertificateHash }: Evaluation): Check {
  if (integrity.status === 'PASS') return 'pass';
  const isWrong = findings.some(({ member }) => member === 'certificateHash');
  return isWrong || (computedCertificateHash === null && !isHashOnly) ? 'fail' : 'pass';
}

const WITHOUT_VALUE_HASHES: ReadonlySet<string> = new Set(['cer.ai.execution.v2', 'cer.codemode.render.v1']);

/** Only v1 has these members; a removed value cannot be compared. */
function valueHashCheck(evaluation: Evaluation, name: 'inputHash' | 'outputHash'): Check {
  const { bundleType, isHashOnly, isResealed, relaxations, findings } = evaluation;
  if (bundleType === null || isHashOnly || isResealed || WITHOUT_VALUE_HASHES.has(bundleType)) return 'skipped';
  if (relaxations.includes('flat-render-record')) return 'skipped';
  const value = name === 'inputHash' ? 'input' : 'output';
  const isAbout = ({ member }: Finding): boolean =>
    member === `snapshot.${name}` || member === `snapshot.${value}` || member === 'snapshot';
  return findings.some(isAbout) ? 'fail' : 'pass';
}

export function classify({ status, code, isHashOnly, relaxations }: Evaluation): Classification {
  if (status === 'FAILED') {
    const isUnverifiable =
      code === 'VERIFICATION_MATERIAL_UNAVAILABLE' || (isHashOnly && code === 'ATTESTATION_MISSING');
    return isUnverifiable ? 'UNVERIFIABLE' : 'FAILED';
  }
  return relaxations.length > 0 ? 'LEGACY_VERIFIED' : 'VERIFIED';
}

/** The structured verification result. @see docs/spec.md, "Structured result" */
export interface StructuredResult {
  readonly ok: boolean;
  readonly errors: readonly string[];
  readonly code: string;
  readonly details?: readonly Finding[];
  readonly verdict?: 'VERIFIED' | 'VERIFIED_CONFIDENTIAL';
  readonly assurance: 'strict' | 'legacy-relaxed';
  readonly verifiedUnder?: { readonly canonicalization: 'svc-v1' | 'jcs-v1'; readonly protocolVersion: string | null };
  readonly relaxations?: readonly string[];
  readonly anchorStatus: 'none' | 'present';
  readonly timestampStatus: ReportedTimestamp['status'] | null;
  readonly supplemental: boolean;
  readonly contentMode?: 'HASH_BOUND';
  readonly keyRescue?: KeyRescue;
  readonly revocationsKnownUntil?: string;
}

export function toStructuredResult(evaluation: Evaluation): StructuredResult {
  const { status, code, findings, canonicalization, protocolVersion, relaxations, timestamp, supplemental } =
    evaluation;
  return {
    ok: status !== 'FAILED',
    errors: findings.map(describeFinding),
    code,
    ...(findings.length > 0 && { details: findings }),
    ...(status !== 'FAILED' && { verdict: status }),
    assurance: relaxations.length > 0 ? 'legacy-relaxed' : 'strict',
    ...(canonicalization !== null && { verifiedUnder: { canonicalization, protocolVersion } }),
    ...(relaxations.length > 0 && { relaxations }),
    anchorStatus: timestamp?.type === 'rfc3161' ? 'present' : 'none',
    timestampStatus: timestamp?.status ?? null,
    supplemental,
    ...contentModeOf(evaluation),
    ...keyRescueOf(evaluation),
    ...revocationsKnownUntilOf(evaluation),
  };
}
