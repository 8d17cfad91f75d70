import { isJsonObject, member, type JsonValue } from '@cer/canonical-json';
import type { Finding } from '@cer/cer-core';
import type { PictureCheck } from '@cer/cer-core/picture';
import { reviewOf } from '@cer/cer-core/review';
import { toNodeVerifyResponse, toReport, unwrap, type Evaluation } from '@cer/cer-core/verify';
import type { NodeKeySet } from '@cer/keys';
import {
  VERIFIER_NAME,
  type CertificateCheck,
  type CertificateFacts,
  type KeySource,
  type LayerResult,
} from './check-result.js';
import { certificateTexts, receiptTexts } from './hand-check.js';
import { isRedrawable } from './redrawable.js';
import { shownMembers, shownSignals } from './shown-members.js';

export interface Checked<E> {
  readonly evaluation: E;
  readonly keySet: NodeKeySet | null;
  readonly keySource: KeySource | null;
  readonly askedHash: string | null;
}

/** Presents one evaluation as the view needs it. */
export function checkCertificate(
  checked: Checked<Evaluation> & { readonly value: JsonValue; readonly picture: PictureCheck | null },
): CertificateCheck {
  const { value, keySet, keySource, picture } = checked;
  const evaluation = withAskedHash(checked.evaluation, checked.askedHash);
  const { bundle, status, code, findings, integrity, receipt, envelope } = evaluation;
  const unwrapped = unwrap(value);
  const packaging = unwrapped.bundle === null ? null : unwrapped.packaging;
  return {
    kind: 'certificate',
    status,
    code,
    report: toReport(evaluation, VERIFIER_NAME),
    nodeResponse: toNodeVerifyResponse(evaluation),
    layers: { integrity: integrityResult(evaluation), receipt: layerResult(receipt), envelope: layerResult(envelope) },
    findings,
    review: bundle === null || integrity.status !== 'PASS' ? null : reviewOf(bundle),
    picture,
    facts: factsOf(evaluation),
    members: bundle === null ? [] : shownMembers(bundle, evaluation),
    signals: bundle === null ? [] : shownSignals(bundle, evaluation),
    handCheck: {
      certificate: bundle === null ? null : certificateTexts(bundle),
      receipt: bundle === null || evaluation.signed === null ? null : receiptTexts(bundle, packaging, keySet),
    },
    keySource,
    isRedrawable: bundle !== null && integrity.status === 'PASS' && isRedrawable(bundle),
  };
}

/** The page shows two hashes of a reseal: the result says which one was computed. */
function integrityResult({ integrity, isResealed }: Evaluation): LayerResult {
  const result = layerResult(integrity);
  return isResealed && result.status === 'PASS' ? { ...result, reason: 'resealed' } : result;
}

export function layerResult(outcome: Evaluation['integrity']): LayerResult {
  if (outcome.status === 'SKIPPED') return { status: 'SKIPPED', reason: outcome.reason };
  if (outcome.status === 'PASS') return { status: 'PASS' };
  const { code, detail } = outcome;
  return { status: 'FAIL', detail, ...(code === 'VERIFICATION_MATERIAL_UNAVAILABLE' && { reason: 'no-keys' }) };
}

/** Fails an answer that is about another certificate than the one asked for, however valid that one is. */
function withAskedHash(evaluation: Evaluation, askedHash: string | null): Evaluation {
  if (askedHash === null || namesHash(evaluation, askedHash)) return evaluation;
  const finding: Finding = {
    code: 'CERTIFICATE_HASH_MISMATCH',
    member: 'certificateHash',
    detail: 'is another certificate than the one asked for',
    expected: askedHash,
    ...(evaluation.certificateHash !== null && { computed: evaluation.certificateHash }),
  };
  return { ...evaluation, status: 'FAILED', code: finding.code, findings: [finding, ...evaluation.findings] };
}

/**
 * A reseal answers for its original only where its signed receipt says so. Without keys nothing is verified, and what it
 * claims contradicts nothing.
 */
function namesHash({ certificateHash, code, provenance }: Evaluation, askedHash: string): boolean {
  if (certificateHash === askedHash) return true;
  const isUndecided = code === 'VERIFICATION_MATERIAL_UNAVAILABLE';
  return provenance?.originalCertificateHash === askedHash && (provenance.state === 'proven' || isUndecided);
}

function factsOf(evaluation: Evaluation): CertificateFacts {
  const { bundle, signed, provenance, timestamp, isHashOnly } = evaluation;
  // The createdAt of a hash-only record is not signed.
  const createdAt = bundle === null || isHashOnly ? undefined : member(bundle, 'createdAt');
  return {
    certificateHash: evaluation.certificateHash,
    computedCertificateHash: evaluation.computedCertificateHash,
    originalCertificateHash: provenance?.originalCertificateHash ?? null,
    provenance: provenance?.state ?? null,
    redactionPolicy: provenance?.redactionPolicy ?? null,
    bundleType: evaluation.bundleType,
    protocolVersion: evaluation.protocolVersion,
    canonicalization: evaluation.canonicalization,
    createdAt: typeof createdAt === 'string' ? createdAt : null,
    attestedAt: signed?.attestedAt ?? null,
    nodeId: signed?.nodeId ?? null,
    kid: signed?.kid ?? statedKid(evaluation),
    keyFingerprint: signed?.keyFingerprint ?? null,
    keyStatus: signed?.keyStatus ?? null,
    timestamp,
    keyRescue: evaluation.keyRescue,
    transparency: evaluation.transparency,
    isHashOnly,
    isResealed: evaluation.isResealed,
    isConfidential: evaluation.contentMode === 'HASH_BOUND',
    relaxations: evaluation.relaxations,
    supplemental: evaluation.supplemental,
  };
}

/** The key an unproven signature names, so that a person knows which key to look for. */
function statedKid({ bundle }: Evaluation): string | null {
  const meta = bundle === null ? undefined : member(bundle, 'meta');
  const attestation = isJsonObject(meta) ? member(meta, 'attestation') : undefined;
  const kid = isJsonObject(attestation) ? member(attestation, 'kid') : undefined;
  return typeof kid === 'string' ? kid : null;
}
