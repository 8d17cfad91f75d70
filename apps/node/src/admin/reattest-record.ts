import { elementsOf, isJsonObject, member, pickPresent, type JsonObject } from '@cer/canonical-json';
import { isSha256Hash, type Sha256Hash } from '@cer/cer-core';
import {
  attestBundle,
  attestHashOnly,
  type AttestationFacts,
  type AttestationMeta,
  type Attestor,
} from '@cer/cer-core/attest';
import { objectMember, parseStored, storedMeta, textMember } from '../records/stored-cer.js';
import type { AttestationColumns, CertificateRecord } from '../store/index.js';

/** The parts that belong to one attestation: timestamp tokens cover its receipt and no later one. */
const ATTESTED = ['attestation', 'verificationEnvelope', 'verificationEnvelopeSignature', 'timestamps'];

/**
 * Signs a verified record again: the earlier attestation moves to the end of `meta.attestationHistory`, a stored reseal
 * gets its own receipt, no hash changes.
 * @see docs/spec.md, "Admin routes"
 */
export async function attestedAnew(
  record: CertificateRecord,
  attestor: Attestor,
  facts: AttestationFacts,
): Promise<AttestationColumns> {
  const made = await newAttestation(record, attestor, facts);
  const meta = renewed(storedMeta(record), made);
  const publicCer = await newPublicCer(record, made, attestor, facts);
  return {
    attestationId: facts.attestationId,
    attestedAt: facts.attestedAt,
    kid: attestor.signer.kid,
    metaJson: JSON.stringify(meta),
    publicCerJson: publicCer === null ? null : JSON.stringify(publicCer),
  };
}

async function newAttestation(
  record: CertificateRecord,
  attestor: Attestor,
  facts: AttestationFacts,
): Promise<AttestationMeta> {
  const certificateHash = hashOf(record.certificateHash);
  if (record.kind === 'hash-only') return attestHashOnly(certificateHash, attestor, facts);
  if (record.bundleJson !== null) {
    return attestBundle({ bundle: parseStored(record.bundleJson), certificateHash, hashed: null }, attestor, facts);
  }
  // The content is not stored, so no envelope can be signed: only a receipt over the hash.
  const { bundleType, protocolVersion } = record;
  const known = { bundleType, snapshot: { protocolVersion } };
  const { attestation } = await attestBundle({ bundle: known, certificateHash, hashed: null }, attestor, facts);
  return { attestation };
}

async function newPublicCer(
  { publicCerJson, certificateHash, resealedCertificateHash }: CertificateRecord,
  { attestation }: AttestationMeta,
  attestor: Attestor,
  facts: AttestationFacts,
): Promise<JsonObject | null> {
  if (publicCerJson === null) return null;
  const { meta: earlier, ...bundle } = parseStored(publicCerJson);
  if (!isJsonObject(earlier)) throw new Error('a stored public form has no meta');
  if (resealedCertificateHash === null) {
    const kept = Object.entries(earlier).filter(([name]) => name !== 'timestamps');
    return { ...bundle, meta: { ...Object.fromEntries(kept), attestation } };
  }
  const provenance = objectMember(earlier, 'provenance');
  const reseal = await attestBundle(
    { bundle, certificateHash: hashOf(resealedCertificateHash), hashed: null },
    attestor,
    facts,
    { originalCertificateHash: hashOf(certificateHash), redactionPolicy: textMember(provenance, 'redactionPolicy') },
  );
  const original = { certificateHash, ...pickPresent(attestation, ['receipt', 'signature']) };
  return {
    ...bundle,
    meta: {
      ...renewed(earlier, { attestation: reseal.attestation }),
      provenance: { ...provenance, redactedAt: facts.attestedAt, original },
    },
  };
}

/** Removes the earlier attestation's members: an old envelope would contradict the new attestation. */
function renewed(meta: JsonObject, made: AttestationMeta): JsonObject {
  const stated = member(meta, 'attestationHistory');
  const history = elementsOf(stated);
  const kept = Object.fromEntries(Object.entries(meta).filter(([name]) => !ATTESTED.includes(name)));
  return {
    ...kept,
    ...made,
    attestationHistory: [...history, pickPresent(meta, ATTESTED)],
  };
}

function hashOf(text: string): Sha256Hash {
  if (!isSha256Hash(text)) throw new Error('a stored record has no hash');
  return text;
}
