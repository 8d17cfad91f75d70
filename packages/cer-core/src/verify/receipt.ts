import { isJsonObject, member, type JsonObject, type JsonValue } from '@cer/canonical-json';
import type { KeyEntry, PublicKey } from '@cer/keys';
import { canonicalReceipt, readReceipt, type Receipt } from '../attest/receipt.js';
import { REDACTED_RESEAL } from '../bundle-types/registry.js';
import { envelopeSkipReason } from './envelope.js';
import { IN_META, type Evidence } from './evidence.js';
import type { Finding } from '../finding.js';
import { chooseKey, missingKeys } from './key-choice.js';
import type { KeyRescue } from './key-rescue.js';
import { fail, findingsOf, outcomeOf, PASS, skipped, type LayerOutcome } from './layer.js';
import { signatureFault, type Trust } from './signature.js';
import { effectiveProtocolOf, type Subject } from './subject.js';
import type { TimestampFinding } from './timestamp-verifier.js';
import { checkTimestamps, timestampsOfReceipt } from './timestamps.js';

/** Layer 2 in its two halves, with the receipt. */
export interface ReceiptCheck {
  readonly outcome: LayerOutcome;
  /** The signature holds under a key that was the node's at that time. */
  readonly nodeSignature: LayerOutcome;
  /** The receipt is about this bundle and from this node, and every unsigned copy is equal. */
  readonly receiptConsistency: LayerOutcome;
  readonly receipt: Receipt | null;
  readonly keyEntry: KeyEntry | null;
  /** Set when the key was revoked and a timestamp proves signing before that. */
  readonly rescue: KeyRescue | null;
}

const SIGNATURE_MEMBER = 'meta.attestation.signature';
const RECEIPT_MEMBER = 'meta.attestation.receipt';

/** Layer 2. @see docs/spec.md, "Layer 2: receipt" */
export async function checkReceipt(
  subject: Subject,
  evidence: Evidence,
  timestamps: readonly TimestampFinding[],
  trust: Trust,
): Promise<ReceiptCheck> {
  if (!evidence.isPresent) {
    if (subject.type?.needsReceipt !== true) return both(skipped('no-attestation'), null);
    return both(fail('ATTESTATION_MISSING', RECEIPT_MEMBER, 'is required: without it nothing is proved'), null);
  }
  const missing = (name: string, rule: string): ReceiptCheck => both(fail('ATTESTATION_MISSING', name, rule), null);
  const BESIDE = 'is required beside the other parts of an attestation';
  if (evidence.receipt === null) return missing(RECEIPT_MEMBER, BESIDE);
  const reading = readReceipt(evidence.receipt);
  if (reading.receipt === null && reading.fault === 'incomplete') return missing(RECEIPT_MEMBER, reading.detail);
  if (evidence.signature === undefined) return missing(SIGNATURE_MEMBER, BESIDE);
  if (reading.receipt === null) {
    const malformed = invalid(RECEIPT_MEMBER, reading.detail);
    return both(outcomeOf([...missingKeys(trust.keySet, RECEIPT_MEMBER), malformed]), null);
  }

  const { receipt } = reading;
  const signed = await checkSignature(receipt, evidence.signature, timestamps, trust);
  const { outcome: nodeSignature, keyEntry, rescue } = signed;
  const receiptConsistency = outcomeOf([
    ...bindingFindings(subject, receipt, trust),
    ...evidence.disagreements,
    ...copyFindings(subject, evidence, receipt),
    ...(await originalFindings(subject, evidence, receipt, trust)),
  ]);
  const outcome = outcomeOf([...findingsOf(nodeSignature), ...findingsOf(receiptConsistency)]);
  return { outcome, nodeSignature, receiptConsistency, receipt, keyEntry, rescue };
}

function both(outcome: LayerOutcome, receipt: Receipt | null): ReceiptCheck {
  return { outcome, nodeSignature: outcome, receiptConsistency: outcome, receipt, keyEntry: null, rescue: null };
}

type SignatureCheck = Pick<ReceiptCheck, 'outcome' | 'keyEntry' | 'rescue'>;

async function checkSignature(
  receipt: Receipt,
  signature: JsonValue,
  timestamps: readonly TimestampFinding[],
  trust: Trust,
): Promise<SignatureCheck> {
  const choice = chooseKey(trust.keySet, receipt.kid, receipt.timestamp, timestampsOfReceipt(timestamps));
  const faultUnder = async (key: PublicKey): Promise<string | null> => {
    const text = canonicalOrNull(receipt.payload);
    return text === null ? 'belongs to a receipt without canonical form' : signatureFault(trust, key, text, signature);
  };
  const failed = (outcome: LayerOutcome): SignatureCheck => ({ outcome, keyEntry: choice.entry, rescue: null });
  if (choice.key === null) {
    const fault = choice.misdated === null ? null : await faultUnder(choice.misdated);
    if (fault !== null) return failed(fail('ATTESTATION_INVALID_SIGNATURE', SIGNATURE_MEMBER, fault));
    return failed(fail(choice.code, RECEIPT_MEMBER, choice.detail));
  }
  const fault = await faultUnder(choice.key);
  if (fault !== null) return failed(fail('ATTESTATION_INVALID_SIGNATURE', SIGNATURE_MEMBER, fault));
  return { outcome: PASS, keyEntry: choice.entry, rescue: choice.rescue };
}

function canonicalOrNull(payload: JsonObject): string | null {
  try {
    return canonicalReceipt(payload);
  } catch {
    return null;
  }
}

function invalid(member: string, detail: string, expected?: string, computed?: string): Finding {
  return {
    code: 'ATTESTATION_INVALID_SIGNATURE',
    member,
    detail,
    ...(expected !== undefined && { expected }),
    ...(computed !== undefined && { computed }),
  };
}

/** The receipt names this hash and this node, and its scope fits the bundle. */
function bindingFindings({ bundle, type }: Subject, receipt: Receipt, trust: Trust): Finding[] {
  const findings: Finding[] = [];
  const stated = member(bundle, 'certificateHash');
  if (receipt.hash !== stated) {
    findings.push(
      invalid(
        `${RECEIPT_MEMBER}.certificateHash`,
        'names another certificate',
        typeof stated === 'string' ? stated : undefined,
        receipt.hash,
      ),
    );
  }
  // Of an unknown type the receipt must at least be that of a bundle.
  if (receipt.scope !== (type?.receiptScope ?? 'full')) {
    findings.push(invalid(`${RECEIPT_MEMBER}.scope`, 'is of another scope than this bundle type needs'));
  }
  const isOther = (nodeId: string | null | undefined): boolean => (nodeId ?? receipt.nodeId) !== receipt.nodeId;
  if (isOther(trust.keySet?.nodeId)) {
    findings.push(invalid(`${RECEIPT_MEMBER}.nodeId`, 'names another node than the one whose keys were given'));
  } else if (isOther(trust.nodeId)) {
    findings.push(invalid(`${RECEIPT_MEMBER}.nodeId`, 'names another node than the one that was asked for'));
  }
  return findings;
}

/** Every unsigned copy must equal the signed value. Reports show the signed ones only. */
function copyFindings(subject: Subject, evidence: Evidence, receipt: Receipt): Finding[] {
  const { bundle, type, packaging } = subject;
  // A hash-only bundle has no protocol.
  const protocol = subject.reading?.layout === null ? null : effectiveProtocolOf(subject);
  // The third layer compares the copy in `meta.attestation`, where there is an envelope to check.
  const isEnvelopeChecked =
    evidence.envelopeSignature !== undefined && envelopeSkipReason(subject, evidence.envelope) === null;
  const signed: readonly (readonly [string, JsonValue | undefined])[] = [
    ['certificateHash', receipt.hash],
    ['kid', receipt.kid],
    ['attestorKeyId', receipt.kid],
    ['nodeId', receipt.nodeId],
    ['attestedAt', receipt.timestamp],
    ['issuedAt', receipt.timestamp],
    ['timestamp', receipt.timestamp],
    ['bundleType', member(bundle, 'bundleType')],
    ...(receipt.isLegacy
      ? (['attestationId', 'nodeRuntimeHash', 'protocolVersion'] as const).map(
          (name) => [name, member(receipt.payload, name)] as const,
        )
      : []),
    ...(protocol === null ? [] : ([['protocolVersion', protocol]] as const)),
    ...(receipt.scope === 'reseal'
      ? (['originalCertificateHash', 'redactionPolicy'] as const).map((name) => [name, receipt[name]] as const)
      : []),
  ];
  const findings: Finding[] = [];
  for (const { path, members } of evidence.copies) {
    for (const [name, value] of signed) {
      const copy = member(members, name);
      if (copy === undefined || copy === null || copy === value) continue;
      // An object of that name is the external timestamp.
      if (name === 'timestamp' && typeof copy !== 'string') continue;
      if (name === 'protocolVersion' && path === IN_META && isEnvelopeChecked) continue;
      findings.push(invalid(`${path}${name}`, 'is a copy that differs from the signed value'));
    }
  }
  const isCompared = type !== null && type.receiptScope !== 'reseal';
  const createdAt = packaging !== null && isCompared ? member(packaging, 'createdAt') : undefined;
  if (createdAt !== undefined && createdAt !== null && createdAt !== member(bundle, 'createdAt')) {
    findings.push(invalid('package.createdAt', 'differs from createdAt'));
  }
  return [...findings, ...provenanceFindings(bundle, receipt)];
}

/** A reseal's provenance is a copy of what its receipt signs; its kind, which the receipt's scope signs, is required. */
function provenanceFindings(bundle: JsonObject, receipt: Receipt): Finding[] {
  const meta = member(bundle, 'meta');
  const provenance = isJsonObject(meta) ? member(meta, 'provenance') : undefined;
  if (receipt.scope !== 'reseal' || !isJsonObject(provenance)) return [];
  const { originalCertificateHash, redactionPolicy, timestamp } = receipt;
  const signed = { originalCertificateHash, redactionPolicy, redactedAt: timestamp, kind: REDACTED_RESEAL };
  return Object.entries(signed).flatMap(([name, value]) => {
    const copy = member(provenance, name);
    if (copy === value || (copy === undefined && name !== 'kind')) return [];
    return [invalid(`meta.provenance.${name}`, 'is a copy that differs from the signed value')];
  });
}

/** The original's own receipt, where a reseal carries it: signed by the node, over the hash the reseal names. */
async function originalFindings(
  { type }: Subject,
  { original }: Evidence,
  reseal: Receipt,
  trust: Trust,
): Promise<Finding[]> {
  if (original === null || type?.receiptScope !== 'reseal' || trust.keySet === null) return [];
  const path = 'meta.provenance.original';
  const payload = member(original, 'receipt');
  const signature = member(original, 'signature') ?? undefined;
  const reading = isJsonObject(payload) ? readReceipt(payload) : null;
  if (reading?.receipt == null || signature === undefined)
    return [invalid(`${path}.receipt`, 'is not a receipt with a signature')];
  const { receipt } = reading;
  if (receipt.scope !== 'full' || receipt.hash !== reseal.originalCertificateHash || receipt.nodeId !== reseal.nodeId) {
    return [invalid(`${path}.receipt`, 'is not the receipt of the original that this reseal names')];
  }
  const copy = member(original, 'certificateHash');
  const differing =
    copy === undefined || copy === receipt.hash ? [] : [invalid(`${path}.certificateHash`, 'differs from its receipt')];
  const places = [original];
  const timestamps = await checkTimestamps(
    { receipt: receipt.payload, signature, hash: receipt.hash, places },
    trust.timestamps,
  );
  const { outcome } = await checkSignature(receipt, signature, timestamps, trust);
  const signed = findingsOf(outcome).map((finding) => ({
    ...finding,
    member: finding.member === SIGNATURE_MEMBER ? `${path}.signature` : `${path}.receipt`,
  }));
  return [...differing, ...signed];
}
