import { isJsonObject, member, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { isTimestamp } from '@cer/keys';
import {
  canonicalEnvelopeBundle,
  ENVELOPE_ATTESTATION_MEMBERS,
  ENVELOPE_TYPE,
  envelopePayload,
} from '../attest/envelope.js';
import { REDACTED } from '../bundle-types/layout.js';
import type { Evidence } from './evidence.js';
import type { Integrity } from './integrity.js';
import { chooseKey } from './key-choice.js';
import { fail, PASS, skipped, type LayerOutcome, type SkipReason } from './layer.js';
import { signatureFault, type Trust } from './signature.js';
import { effectiveProtocolOf, type Subject } from './subject.js';
import type { TimestampFinding } from './timestamp-verifier.js';
import { timestampsOfReceipt } from './timestamps.js';

const ENVELOPE = 'meta.verificationEnvelope';

function invalid(member: string, detail: string): LayerOutcome {
  return fail('ATTESTATION_INVALID_SIGNATURE', member, detail);
}

/** Layer 3: the signature over content and attestation facts together. @see docs/spec.md, "Layer 3: envelope" */
export async function checkEnvelope(
  subject: Subject,
  evidence: Evidence,
  timestamps: readonly TimestampFinding[],
  hashed: Integrity['hashed'],
  trust: Trust,
): Promise<LayerOutcome> {
  const { envelope, envelopeSignature } = evidence;
  // Half of the pair shows that the other half was removed, whatever the bundle is.
  if (envelope === undefined && envelopeSignature !== undefined) {
    return invalid(ENVELOPE, 'is missing beside its signature');
  }
  if (envelope !== undefined && envelopeSignature === undefined) {
    return invalid('meta.verificationEnvelopeSignature', 'is missing beside the envelope');
  }
  const reason = envelopeSkipReason(subject, envelope);
  if (reason !== null) return skipped(reason);
  if (!isJsonObject(envelope)) return invalid(ENVELOPE, 'must be an object');
  if (member(envelope, 'envelopeType') !== ENVELOPE_TYPE) {
    return invalid(`${ENVELOPE}.envelopeType`, 'is none that this verifier knows');
  }

  const attestation = member(envelope, 'attestation');
  const facts = isJsonObject(attestation) ? readFacts(attestation) : null;
  if (facts === null || !isJsonObject(attestation)) {
    return invalid(`${ENVELOPE}.attestation`, `must have exactly ${ENVELOPE_ATTESTATION_MEMBERS.join(', ')}`);
  }
  const differing = ENVELOPE_ATTESTATION_MEMBERS.find((name) => attestedValue(evidence, name) !== facts[name]);
  if (differing !== undefined) {
    return invalid(`${ENVELOPE}.attestation.${differing}`, 'differs from the attestation');
  }
  if (facts.protocolVersion !== effectiveProtocolOf(subject)) {
    return invalid(`${ENVELOPE}.attestation.protocolVersion`, 'differs from the protocol of the snapshot');
  }
  const kidCopy = member(envelope, 'kid');
  if (kidCopy !== undefined && kidCopy !== facts.kid) return invalid(`${ENVELOPE}.kid`, 'differs from the signed kid');

  const text = payloadOrNull(subject.bundle, attestation, hashed);
  if (text === null) return invalid(ENVELOPE, 'signs content that has no canonical form');
  // Under a revoked key the envelope is accepted beside a receipt that was timestamped in time: the hash binds the
  // content.
  const choice = chooseKey(trust.keySet, facts.kid, facts.attestedAt, timestampsOfReceipt(timestamps));
  if (choice.key === null) {
    return choice.code === 'VERIFICATION_MATERIAL_UNAVAILABLE'
      ? fail(choice.code, ENVELOPE, choice.detail)
      : invalid(ENVELOPE, choice.detail);
  }
  const fault = await signatureFault(trust, choice.key, text, evidence.envelopeSignature);
  return fault === null ? PASS : invalid('meta.verificationEnvelopeSignature', fault);
}

/** Why an envelope cannot be checked, or null. Only hashed members are asked: nothing unsigned skips the layer. */
export function envelopeSkipReason(
  { bundle, type, reading }: Subject,
  envelope: Evidence['envelope'],
): SkipReason | null {
  if (envelope === undefined) return 'no-envelope';
  if (type?.receiptScope === 'reseal' || reading?.resealed === true) return 'redacted';
  return holdsRedacted(reading?.layout?.projectForHash(bundle)) ? 'redacted' : null;
}

type Facts = Readonly<Record<(typeof ENVELOPE_ATTESTATION_MEMBERS)[number], string>>;

/** Exactly the five members, each a string, with a valid time. */
function readFacts(attestation: JsonObject): Facts | null {
  if (Object.keys(attestation).length !== ENVELOPE_ATTESTATION_MEMBERS.length) return null;
  const text = (name: string): string | null => {
    const value = member(attestation, name);
    return typeof value === 'string' ? value : null;
  };
  const [attestationId, attestedAt, kid, nodeRuntimeHash, protocolVersion] = ENVELOPE_ATTESTATION_MEMBERS.map(text);
  const isComplete =
    attestationId != null && attestedAt != null && kid != null && nodeRuntimeHash != null && protocolVersion != null;
  if (!isComplete || !isTimestamp(attestedAt)) return null;
  return { attestationId, attestedAt, kid, nodeRuntimeHash, protocolVersion };
}

/** Names that receipts have for members of the envelope: `attestorKeyId` is that of legacy receipts. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['attestedAt', 'timestamp'],
  ['kid', 'attestorKeyId'],
]);

/** The value beside the envelope: the attestation's member, else the receipt's. */
function attestedValue({ attestation, receipt }: Evidence, name: string): JsonValue | undefined {
  const own = attestation === null ? undefined : member(attestation, name);
  if (own !== undefined || receipt === null) return own;
  return member(receipt, name) ?? member(receipt, OTHER_NAMES.get(name) ?? name);
}

function payloadOrNull(bundle: JsonObject, attestation: JsonObject, hashed: Integrity['hashed']): string | null {
  try {
    return envelopePayload(attestation, canonicalEnvelopeBundle(bundle, hashed));
  } catch {
    return null;
  }
}

function holdsRedacted(value: JsonValue | undefined): boolean {
  if (value === REDACTED) return true;
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some(holdsRedacted);
}
