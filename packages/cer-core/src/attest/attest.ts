import { isJsonObject, member, type JsonObject } from '@cer/canonical-json';
import { encodeBase64Url, type Signer } from '@cer/keys';
import type { Sha256Hash } from '../hash.js';
import { effectiveProtocolVersion } from '../protocols/protocols.js';
import { canonicalEnvelopeBundle, createEnvelope, envelopePayload, type EnvelopeAttestation } from './envelope.js';
import { canonicalReceipt } from './receipt.js';

const utf8 = new TextEncoder();

/** Who attests, and the facts of this attestation. Times and ids come from the caller: this package has no clock. */
export interface Attestor {
  readonly signer: Signer;
  readonly nodeId: string;
  /** SHA-256 over the description of the running build. */
  readonly nodeRuntimeHash: Sha256Hash;
}

export interface AttestationFacts {
  /** A UUID. */
  readonly attestationId: string;
  /** UTC with milliseconds and `Z`. */
  readonly attestedAt: string;
}

/** Receipt members of a reseal. */
export interface ResealFacts {
  readonly originalCertificateHash: Sha256Hash;
  readonly redactionPolicy: string;
}

/** The members of `meta` that an attestation makes; a hash-only attestation and a reseal have no envelope. */
export interface AttestationMeta {
  readonly attestation: JsonObject;
  readonly verificationEnvelope?: JsonObject;
  readonly verificationEnvelopeSignature?: string;
}

/** A sealed bundle and the canonical text that was hashed, which the envelope reuses. */
export interface SealedBundle {
  readonly bundle: JsonObject;
  readonly certificateHash: Sha256Hash;
  readonly hashed: { readonly projection: JsonObject; readonly canonical: string } | null;
}

/** Signs a payload. @returns 64 signature bytes as base64url without padding */
async function signText(signer: Signer, text: string): Promise<string> {
  return encodeBase64Url(await signer.sign(utf8.encode(text)));
}

/**
 * Attests a sealed bundle: a receipt over its hash and an envelope over its content.
 * @param reseal given when the bundle is a reseal: its receipt names the original
 * @see docs/spec.md, "Receipt" and "Verification envelope"
 */
export async function attestBundle(
  { bundle, certificateHash, hashed }: SealedBundle,
  { signer, nodeId, nodeRuntimeHash }: Attestor,
  { attestationId, attestedAt }: AttestationFacts,
  reseal: ResealFacts | null = null,
): Promise<AttestationMeta> {
  const snapshot = member(bundle, 'snapshot');
  const stated = isJsonObject(snapshot) ? member(snapshot, 'protocolVersion') : undefined;
  const protocolVersion = effectiveProtocolVersion(stated) ?? '';
  const receipt: JsonObject = {
    certificateHash,
    timestamp: attestedAt,
    nodeId,
    kid: signer.kid,
    ...(reseal !== null && { scope: 'reseal', ...reseal }),
  };
  const facts: EnvelopeAttestation = { attestationId, attestedAt, kid: signer.kid, nodeRuntimeHash, protocolVersion };
  // Verifiers skip the envelope of a reseal, so it gets none.
  const payload = reseal === null ? envelopeTextOrNull(bundle, hashed, facts) : null;
  const [signature, envelopeSignature] = await Promise.all([
    signText(signer, canonicalReceipt(receipt)),
    payload === null ? null : signText(signer, payload),
  ]);
  return {
    attestation: {
      receipt,
      signature,
      kid: signer.kid,
      attestationId,
      attestedAt,
      nodeId,
      nodeRuntimeHash,
      protocolVersion,
      bundleType: member(bundle, 'bundleType') ?? null,
      certificateHash,
      timestamp: nodeIssuedTimestamp(nodeId),
    },
    ...(envelopeSignature !== null && {
      verificationEnvelope: createEnvelope(bundle, facts),
      verificationEnvelopeSignature: envelopeSignature,
    }),
  };
}

// A 1.2.0 bundle may hold a lone surrogate, which svc-v1 escapes and the envelope's JCS refuses: such a bundle gets a
// receipt and no envelope, since an envelope that no verifier can reconstruct would fail every verification.
function envelopeTextOrNull(
  bundle: JsonObject,
  hashed: SealedBundle['hashed'],
  facts: EnvelopeAttestation,
): string | null {
  let canonicalBundle: string;
  try {
    canonicalBundle = canonicalEnvelopeBundle(bundle, hashed);
  } catch {
    return null;
  }
  return envelopePayload({ ...facts }, canonicalBundle);
}

/** Attests a hash alone: the node saw no content, and the receipt says so. */
export async function attestHashOnly(
  certificateHash: Sha256Hash,
  { signer, nodeId, nodeRuntimeHash }: Attestor,
  { attestationId, attestedAt }: AttestationFacts,
): Promise<AttestationMeta> {
  const receipt: JsonObject = { certificateHash, timestamp: attestedAt, nodeId, kid: signer.kid, scope: 'hash-only' };
  return {
    attestation: {
      receipt,
      signature: await signText(signer, canonicalReceipt(receipt)),
      kid: signer.kid,
      attestationId,
      attestedAt,
      nodeId,
      nodeRuntimeHash,
      protocolVersion: null,
      bundleType: 'hash-only-timestamp',
      certificateHash,
      timestamp: nodeIssuedTimestamp(nodeId),
    },
  };
}

/** Signs the registration of a project. */
export async function attestProject(
  projectHash: Sha256Hash,
  registeredAt: string,
  { signer, nodeId }: Pick<Attestor, 'signer' | 'nodeId'>,
): Promise<{ readonly receipt: JsonObject; readonly signature: string; readonly kid: string }> {
  const receipt: JsonObject = { projectHash, registeredAt, nodeId, kid: signer.kid };
  return { receipt, signature: await signText(signer, canonicalReceipt(receipt)), kid: signer.kid };
}

/** The time object of a receipt without external timestamp. @see docs/spec.md, "External timestamps" */
function nodeIssuedTimestamp(nodeId: string): JsonObject {
  return { type: 'node-issued', status: 'verified', provider: nodeId, token: null, covers: null };
}
