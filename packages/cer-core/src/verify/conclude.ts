import { isJsonObject, member, type JsonObject } from '@cer/canonical-json';
import { keyFingerprint } from '@cer/keys';
import type { Relaxation } from '../bundle-types/layout.js';
import { HASH_ONLY, RESEAL } from '../bundle-types/registry.js';
import { isSha256Hash } from '../hash.js';
import { effectiveProtocolVersion } from '../protocols/protocols.js';
import type { Evaluation, ResealProvenance, SignedFacts } from './evaluation.js';
import type { Evidence } from './evidence.js';
import type { Finding } from '../finding.js';
import type { Integrity } from './integrity.js';
import type { LayerOutcome } from './layer.js';
import type { VerifyOptions } from './options.js';
import type { ReceiptCheck } from './receipt.js';
import { reportTimestamp } from './reported-timestamp.js';
import { rollUp } from './rollup.js';
import { isLabelledOlderReseal, type Subject } from './subject.js';
import type { TimestampFinding } from './timestamp-verifier.js';
import { requiredLogFindings } from './transparency.js';
import type { Transparency } from './transparency-verifier.js';

/** The results of checks besides the layers. */
export interface BesideLayers {
  readonly timestamps: readonly TimestampFinding[];
  readonly transparency: Transparency;
}

/** One evaluation from the three layers: the rollup, the shown members, and the signer. */
export function conclude(
  subject: Subject,
  evidence: Evidence,
  integrity: Integrity,
  receipt: ReceiptCheck,
  envelope: LayerOutcome,
  { timestamps, transparency }: BesideLayers,
  options: VerifyOptions,
): Evaluation {
  const { bundle, protocol, reading, type } = subject;
  const layers = { integrity: integrity.outcome, receipt: receipt.outcome, envelope };
  // A reseal of an unknown layout is one too.
  const isResealed = type?.name === RESEAL || reading?.resealed === true;
  const isHashOnly = type?.name === HASH_ONLY;
  const required = requirementFindings(options, isResealed || isHashOnly, layers.receipt);
  const relaxations = reading?.relaxations ?? [];
  const demanded = requiredLogFindings(transparency, options);
  const { status, code, findings } = rollUp(layers, required, demanded, protocol, isConfidential(subject));
  const stated = member(bundle, 'certificateHash');
  const snapshot = member(bundle, 'snapshot');
  return {
    status,
    code,
    ...layers,
    nodeSignature: receipt.nodeSignature,
    receiptConsistency: receipt.receiptConsistency,
    findings,
    bundle,
    bundleType: type?.name ?? null,
    certificateHash: isSha256Hash(stated) ? stated : null,
    computedCertificateHash: integrity.computedCertificateHash,
    protocolVersion:
      protocol?.version ??
      (isJsonObject(snapshot) ? effectiveProtocolVersion(member(snapshot, 'protocolVersion')) : null),
    canonicalization: protocol?.profile.name ?? null,
    isHashOnly,
    isResealed,
    relaxations,
    supplemental: isSupplemental(subject, relaxations),
    contentMode: protocol?.sealing === 'commitments' ? 'HASH_BOUND' : null,
    signed: signedFacts(receipt, envelope, evidence),
    provenance: isResealed || isLabelledOlderReseal(bundle) ? provenanceOf(bundle, receipt) : null,
    timestamp: reportTimestamp(timestamps, receipt.receipt === null ? null : receipt.outcome),
    timestamps,
    transparency,
    keyRescue: receipt.outcome.status === 'PASS' ? receipt.rescue : null,
    revocationsKnownUntil: options.keySet?.revocationsKnownUntil ?? null,
    verifiedAt: options.verifiedAt,
  };
}

function requirementFindings(options: VerifyOptions, isPartial: boolean, receipt: LayerOutcome): Finding[] {
  const findings: Finding[] = [];
  if (options.requireFullArtifact === true && isPartial) {
    findings.push({
      code: 'INCOMPLETE_ARTIFACT',
      member: 'bundleType',
      detail: 'is not a full artifact, and one was demanded',
    });
  }
  if (options.requireAttestation === true && receipt.status === 'SKIPPED') {
    findings.push({
      code: 'ATTESTATION_MISSING',
      member: 'meta.attestation',
      detail: 'is absent, and one was demanded',
    });
  }
  return findings;
}

/** A reseal may have removed the sealed objects; then it has no confidential content. */
function isConfidential({ snapshot, reading }: Subject): boolean {
  if (snapshot === null || reading === null || reading.relaxations.length > 0) return false;
  return ['input', 'output'].every((name) => isJsonObject(member(snapshot, name)));
}

const CONTEXT_LIKE_MEMBERS = ['signals', 'declaration', 'context', 'contextSummary', 'policyEvaluation'];

function isSupplemental({ bundle, reading }: Subject, relaxations: readonly Relaxation[]): boolean {
  if (relaxations.includes('context-excluded')) return true;
  if (reading === null) return false;
  const hashed = reading.layout?.hashedMembers ?? [];
  return CONTEXT_LIKE_MEMBERS.some((name) => !hashed.includes(name) && (member(bundle, name) ?? null) !== null);
}

function signedFacts(
  { receipt, outcome, keyEntry, rescue }: ReceiptCheck,
  envelope: LayerOutcome,
  evidence: Evidence,
): SignedFacts | null {
  if (receipt === null || outcome.status !== 'PASS') return null;
  // No timestamp covers the envelope: a thief of the key could have made another one since.
  const isEnvelopeWorth = envelope.status === 'PASS' && rescue === null;
  const holder = receipt.isLegacy ? receipt.payload : isEnvelopeWorth ? evidence.attestation : null;
  const attestationId = holder === null ? undefined : member(holder, 'attestationId');
  return {
    nodeId: receipt.nodeId,
    kid: receipt.kid,
    keyFingerprint: keyEntry?.key.usable === true ? keyFingerprint(keyEntry.key.publicKey) : null,
    keyStatus: keyEntry?.status ?? null,
    attestedAt: receipt.timestamp,
    attestationId: typeof attestationId === 'string' ? attestationId : null,
  };
}

function provenanceOf(bundle: JsonObject, { receipt, outcome }: ReceiptCheck): ResealProvenance {
  if (receipt?.scope === 'reseal' && outcome.status === 'PASS') {
    const { originalCertificateHash, redactionPolicy } = receipt;
    return { state: 'proven', originalCertificateHash, redactionPolicy };
  }
  const meta = member(bundle, 'meta');
  const provenance = isJsonObject(meta) ? member(meta, 'provenance') : undefined;
  const claimed = (name: string): string | null => {
    const value = isJsonObject(provenance) ? member(provenance, name) : undefined;
    return typeof value === 'string' ? value : null;
  };
  return {
    state: 'claimed',
    originalCertificateHash: claimed('originalCertificateHash'),
    redactionPolicy: claimed('redactionPolicy'),
  };
}
