import { keyFingerprint, type KeyEntry } from '@cer/keys';
import { BUNDLE_TYPES, EXECUTION_V1, HASH_ONLY, PROJECT } from '../bundle-types/registry.js';
import type { Relaxation } from '../bundle-types/layout.js';
import type { CerVerifyCode } from '../errors.js';
import { isSha256Hash, sha256, type Sha256Hash } from '../hash.js';
import { isJsonObject, member, type JsonObject } from '../json/json-value.js';
import { exceedsDepth } from '../json/depth.js';
import { MAX_DEPTH } from '../json/parse.js';
import { effectiveProtocolVersion, PROTOCOLS } from '../protocols/protocols.js';
import { checkEnvelope } from './envelope.js';
import { collectEvidence, type Evidence } from './evidence.js';
import { schemaFinding, type Finding } from './finding.js';
import { checkIntegrity, type Integrity } from './integrity.js';
import { isAfter } from './key-choice.js';
import { failWith, findingsOf, PASS, skipped, type LayerOutcome } from './layer.js';
import type { VerifyOptions } from './options.js';
import { checkReceipt, type ReceiptCheck } from './receipt.js';
import { rollUp } from './rollup.js';
import { platformVerifier, type Trust } from './signature.js';
import { readSubject, type Registries, type Subject } from './subject.js';
import { unwrap } from './unwrap.js';

/** What a signature vouches for; reports show these and never an unsigned copy. */
export interface SignedFacts {
  readonly nodeId: string;
  readonly kid: string;
  readonly keyFingerprint: string | null;
  readonly keyStatus: KeyEntry['status'] | null;
  /** Node-issued time. */
  readonly attestedAt: string;
  /** Only where the envelope, or a legacy receipt, signs it. */
  readonly attestationId: string | null;
}

/** Where a reseal says it comes from. `proven`: its receipt says the same; `claimed`: nobody vouches for it. */
export interface ResealProvenance {
  readonly state: 'proven' | 'claimed';
  readonly originalCertificateHash: string | null;
  readonly redactionPolicy: string | null;
}

/** One verification, whole. Every report shape is a view of this. */
export interface Evaluation {
  readonly status: 'VERIFIED' | 'VERIFIED_CONFIDENTIAL' | 'FAILED';
  readonly code: CerVerifyCode;
  readonly integrity: LayerOutcome;
  readonly receipt: LayerOutcome;
  readonly envelope: LayerOutcome;
  readonly nodeSignature: LayerOutcome;
  readonly receiptConsistency: LayerOutcome;
  /** In order of precedence; also what `require…` options found. */
  readonly findings: readonly Finding[];
  readonly bundle: JsonObject | null;
  readonly bundleType: string | null;
  readonly certificateHash: Sha256Hash | null;
  readonly computedCertificateHash: Sha256Hash | null;
  readonly protocolVersion: string | null;
  readonly canonicalization: 'svc-v1' | 'jcs-v1' | null;
  readonly isHashOnly: boolean;
  readonly isResealed: boolean;
  readonly relaxations: readonly Relaxation[];
  /** Signals or context-like members are there that the hash does not protect. */
  readonly supplemental: boolean;
  /** Set under protocols that commit to input and output. */
  readonly contentMode: 'HASH_BOUND' | null;
  readonly signed: SignedFacts | null;
  readonly provenance: ResealProvenance | null;
  readonly timestamp: {
    readonly type: 'rfc3161' | 'node-issued';
    readonly status: 'verified' | 'invalid' | 'untrusted';
  } | null;
  readonly verifiedAt: string;
}

/**
 * Verifies a bundle or package of unknown content. Offline and pure: it trusts only the key set it is given, never
 * throws on hostile input, and answers FAILED for anything it cannot understand.
 * @see docs/spec.md, "Verification"
 */
export async function evaluateCer(input: unknown, options: VerifyOptions): Promise<Evaluation> {
  try {
    return await evaluate(input, options);
  } catch {
    // Unforeseen is failed. What went wrong may quote the input, so it is not shown.
    return unreadable({ code: 'UNKNOWN_ERROR', member: '', detail: 'verification ended unexpectedly' }, options);
  }
}

async function evaluate(input: unknown, options: VerifyOptions): Promise<Evaluation> {
  if (exceedsDepth(input, MAX_DEPTH.canonical)) {
    return unreadable(
      schemaFinding('', `nested deeper than ${MAX_DEPTH.canonical} levels`, 'BUNDLE_CORRUPTED'),
      options,
    );
  }
  const unwrapped = unwrap(input);
  if (unwrapped.bundle === null) return unreadable(unwrapped.finding, options);
  const { bundle, packaging } = unwrapped;
  if (member(bundle, 'bundleType') === PROJECT) {
    return unreadable(schemaFinding('bundleType', 'is a project bundle: verify it as a project'), options);
  }

  const registries: Registries = {
    protocols: options.protocols ?? PROTOCOLS,
    bundleTypes: options.bundleTypes ?? BUNDLE_TYPES,
  };
  const trust: Trust = {
    keySet: options.keySet ?? null,
    nodeId: options.nodeId ?? null,
    verifySignature: options.verifySignature ?? platformVerifier,
  };
  const read = readSubject(bundle, packaging, registries);
  const evidence = collectEvidence(bundle, packaging);
  // Both signatures go to the crypto thread pool at once; neither layer hears of the other's outcome.
  if (isLabelledOlderReseal(bundle)) return evaluateOlderReseal(read, evidence, trust, options);
  const integrity = checkIntegrity(read);
  const [receipt, envelope] = await Promise.all([
    checkReceipt(read, evidence, trust),
    checkEnvelope(read, evidence, integrity.hashed, trust),
  ]);
  return conclude(read, evidence, integrity, receipt, envelope, options);
}

/** Bundles from older nodes call themselves reseals only in unsigned members. */
function isLabelledOlderReseal(bundle: JsonObject): boolean {
  if (member(bundle, 'bundleType') !== EXECUTION_V1) return false;
  const meta = member(bundle, 'meta');
  if (!isJsonObject(meta)) return false;
  const provenance = member(meta, 'provenance');
  const attestation = member(meta, 'attestation');
  return (
    (isJsonObject(provenance) && member(provenance, 'kind') === 'redacted_reseal') ||
    (isJsonObject(attestation) && member(attestation, 'mode') === 'redacted_reseal')
  );
}

// The label is unsigned, so by itself it loosens nothing: only where a valid receipt names this very hash is the bundle
// read as a reseal, and only where the key's entry says so may the context stand outside the hash.
async function evaluateOlderReseal(
  read: Subject,
  evidence: Evidence,
  trust: Trust,
  options: VerifyOptions,
): Promise<Evaluation> {
  const receipt = await checkReceipt(read, evidence, trust);
  const isVouchedFor = receipt.outcome.status === 'PASS';
  const subject: Subject =
    isVouchedFor && read.reading !== null ? { ...read, reading: { ...read.reading, resealed: true } } : read;
  const integrity = checkIntegrity(subject);
  const envelope = await checkEnvelope(subject, evidence, integrity.hashed, trust);
  const mayExcludeContext =
    isVouchedFor &&
    isAfter(receipt.keyEntry?.contextUnprotectedBefore, receipt.receipt?.timestamp) &&
    isOnlyHashMismatch(integrity);
  if (!mayExcludeContext || hashWithoutContext(subject) !== member(subject.bundle, 'certificateHash')) {
    return conclude(subject, evidence, integrity, receipt, envelope, options);
  }
  const relaxed: Subject = {
    ...subject,
    reading: subject.reading && { ...subject.reading, relaxations: ['context-excluded'] },
  };
  const withoutContext: Integrity = {
    ...integrity,
    outcome: PASS,
    computedCertificateHash: hashWithoutContext(subject),
  };
  return conclude(relaxed, evidence, withoutContext, receipt, envelope, options);
}

function isOnlyHashMismatch({ outcome }: Integrity): boolean {
  return outcome.status === 'FAIL' && outcome.findings.every(({ code }) => code === 'CERTIFICATE_HASH_MISMATCH');
}

function hashWithoutContext({ bundle, reading, protocol }: Subject): Sha256Hash | null {
  if (reading?.layout == null || protocol === null || member(bundle, 'context') === undefined) return null;
  const projection = Object.fromEntries(
    Object.entries(reading.layout.projectForHash(bundle)).filter(([name]) => name !== 'context'),
  );
  return sha256(protocol.profile.canonicalize(projection));
}

function conclude(
  subject: Subject,
  evidence: Evidence,
  integrity: Integrity,
  receipt: ReceiptCheck,
  envelope: LayerOutcome,
  options: VerifyOptions,
): Evaluation {
  const { bundle, protocol, reading, type } = subject;
  const layers = { integrity: integrity.outcome, receipt: receipt.outcome, envelope };
  const isResealed = reading?.resealed ?? false;
  const isHashOnly = type?.name === HASH_ONLY;
  const required = requirementFindings(options, isResealed || isHashOnly, layers.receipt);
  const relaxations = reading?.relaxations ?? [];
  const { status, code, findings } = rollUp(layers, required, protocol, holdsCommitments(subject));
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
    supplemental: isSupplemental(bundle, isHashOnly, relaxations),
    contentMode: protocol?.sealing === 'commitments' ? 'HASH_BOUND' : null,
    signed: signedFacts(receipt, envelope, evidence),
    provenance: provenanceOf(subject, receipt),
    timestamp: receipt.outcome.status === 'SKIPPED' || receipt.receipt === null ? null : nodeIssued(receipt.outcome),
    verifiedAt: options.verifiedAt,
  };
}

function requirementFindings(options: VerifyOptions, isPartial: boolean, receipt: LayerOutcome): Finding[] {
  const findings: Finding[] = [];
  if (options.requireFullArtifact === true && isPartial) {
    findings.push({
      code: 'INCOMPLETE_ARTIFACT',
      member: 'bundleType',
      detail: 'is no full artifact, and one was demanded',
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

/** A reseal may have removed the sealed objects; then nothing confidential is left to vouch for. */
function holdsCommitments({ snapshot, protocol, reading }: Subject): boolean {
  if (snapshot === null || protocol?.sealing !== 'commitments') return false;
  return reading?.resealed !== true || ['input', 'output'].every((name) => isJsonObject(member(snapshot, name)));
}

function isSupplemental(bundle: JsonObject, isHashOnly: boolean, relaxations: readonly Relaxation[]): boolean {
  const unprotected = [
    'signals',
    'declaration',
    ...(isHashOnly ? ['context', 'contextSummary', 'policyEvaluation'] : []),
  ];
  return relaxations.includes('context-excluded') || unprotected.some((name) => member(bundle, name) !== undefined);
}

function signedFacts(
  { receipt, outcome, keyEntry }: ReceiptCheck,
  envelope: LayerOutcome,
  evidence: Evidence,
): SignedFacts | null {
  if (receipt === null || outcome.status !== 'PASS') return null;
  const holder = receipt.isLegacy ? receipt.payload : envelope.status === 'PASS' ? evidence.attestation : null;
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

function provenanceOf({ bundle, reading }: Subject, { receipt, outcome }: ReceiptCheck): ResealProvenance | null {
  if (reading?.resealed !== true) return null;
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

function nodeIssued(outcome: LayerOutcome): Evaluation['timestamp'] {
  return { type: 'node-issued', status: outcome.status === 'PASS' ? 'verified' : 'invalid' };
}

/** The evaluation of something that is no bundle: failed, with one finding. */
export function unreadable(finding: Finding, options: Pick<VerifyOptions, 'verifiedAt'>): Evaluation {
  const failed = failWith(finding);
  const absent = skipped('no-attestation');
  return {
    status: 'FAILED',
    code: finding.code,
    integrity: failed,
    receipt: absent,
    envelope: skipped('no-envelope'),
    nodeSignature: absent,
    receiptConsistency: absent,
    findings: findingsOf(failed),
    bundle: null,
    bundleType: null,
    certificateHash: null,
    computedCertificateHash: null,
    protocolVersion: null,
    canonicalization: null,
    isHashOnly: false,
    isResealed: false,
    relaxations: [],
    supplemental: false,
    contentMode: null,
    signed: null,
    provenance: null,
    timestamp: null,
    verifiedAt: options.verifiedAt,
  };
}
