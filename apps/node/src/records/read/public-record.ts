import { isJsonObject, member, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { BUNDLE_TYPES, HASH_ONLY, isSha256Hash, PROTOCOLS } from '@cer/cer-core';
import { canonicalReceipt } from '@cer/cer-core/attest';
import { readSubject } from '@cer/cer-core/verify';
import { publicForm } from '../write/attest-and-record.js';
import { attestationSummary, verificationUrl } from '../certify-response.js';
import { earlierAttestations, objectMember, parseStored, storedMeta, textMember } from '../stored-cer.js';
import type { CertificateRecord } from '../../store/index.js';

/** The public form of a bundle: its hashed members and the node's attestation, or the reseal that replaces them. */
export function publicCer(record: CertificateRecord): JsonObject {
  if (record.publicCerJson !== null) {
    const cer = parseStored(record.publicCerJson);
    // The history of a reseal is its own.
    if (record.resealedCertificateHash !== null) return cer;
    return { ...cer, meta: { ...objectMember(cer, 'meta'), ...earlierAttestations(storedMeta(record)) } };
  }
  if (record.bundleJson === null) throw new Error('a record without bundle has a public form');
  return publicForm(parseStored(record.bundleJson), storedMeta(record), null);
}

/**
 * The answer of the public lookup. sha256sum and openssl are enough to check its canonical texts.
 * @see docs/spec.md, "GET /v1/cer/public"
 */
export function publicRecord(record: CertificateRecord, verifyUrl: string): JsonObject {
  const cer = publicCer(record);
  const attestation = objectMember(storedMeta(record), 'attestation');
  const timestamp = member(attestation, 'timestamp') ?? null;
  const receipt = objectMember(attestation, 'receipt');
  const signature = textMember(attestation, 'signature');
  const kid = textMember(attestation, 'kid');
  const isHashOnly = record.bundleType === HASH_ONLY;
  return {
    ok: true,
    certificateHash: record.certificateHash,
    ...(record.resealedCertificateHash !== null && { resealedCertificateHash: record.resealedCertificateHash }),
    bundleType: record.bundleType,
    createdAt: isHashOnly ? null : (member(cer, 'createdAt') ?? null),
    protocolVersion: record.protocolVersion,
    status: isExternal(timestamp) ? 'EXTERNALLY_TIMESTAMPED' : 'ATTESTED',
    // Without the request id, which belongs to the original caller.
    attestation: attestationSummary(attestation, null),
    receipt,
    signature,
    kid,
    nodeId: textMember(attestation, 'nodeId'),
    timestamp,
    cer,
    canonical: {
      certificate: canonicalCertificate(cer),
      receipt: { canonicalPayload: canonicalReceipt(receipt), signature, kid },
    },
    verificationUrl: verificationUrl(verifyUrl, record.certificateHash),
  };
}

/**
 * The privacy-preserving variant: no content, but the hashes of input and output.
 * @see docs/spec.md, "GET /api/public-cer-proof"
 */
export function publicProof(record: CertificateRecord, verifyUrl: string): JsonObject {
  const { cer, canonical, ...rest } = publicRecord(record, verifyUrl);
  const snapshot = isJsonObject(cer) ? member(cer, 'snapshot') : undefined;
  const receipt = isJsonObject(canonical) ? (member(canonical, 'receipt') ?? null) : null;
  return {
    ...rest,
    inputHash: valueHash(snapshot, 'input'),
    outputHash: valueHash(snapshot, 'output'),
    canonical: { receipt },
  };
}

/** v1 keeps the hash beside the value, v2 in its place; a removed or sealed one is null. */
function valueHash(snapshot: JsonValue | undefined, name: 'input' | 'output'): string | null {
  if (!isJsonObject(snapshot)) return null;
  const beside = member(snapshot, `${name}Hash`) ?? member(snapshot, name);
  return isSha256Hash(beside) ? beside : null;
}

function isExternal(timestamp: JsonValue): boolean {
  return isJsonObject(timestamp) && member(timestamp, 'type') === 'rfc3161';
}

/** The text whose SHA-256 is the hash of the returned bundle; null without content. */
function canonicalCertificate(cer: JsonObject): JsonObject | null {
  const { reading, protocol } = readSubject(cer, null, { protocols: PROTOCOLS, bundleTypes: BUNDLE_TYPES });
  if (reading?.layout == null || protocol === null) return null;
  return {
    profile: protocol.profile.name,
    canonicalPayload: protocol.profile.canonicalize(reading.layout.projectForHash(cer)),
    certificateHash: textMember(cer, 'certificateHash'),
  };
}
