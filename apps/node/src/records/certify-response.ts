import { member, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { HASH_ONLY } from '@cer/cer-core';
import { objectMember, textMember } from './stored-cer.js';

/** `{verify_url}/c/<url-encoded certificateHash>` */
export function verificationUrl(verifyUrl: string, certificateHash: string): string {
  return `${verifyUrl}/c/${encodeURIComponent(certificateHash)}`;
}

/** The summary of an attestation that responses carry. @see docs/spec.md, "Attestation" */
export function attestationSummary(attestation: JsonObject, requestId: string | null): JsonObject {
  const isHashOnly = member(attestation, 'bundleType') === HASH_ONLY;
  return {
    attestationId: textMember(attestation, 'attestationId'),
    attestedAt: textMember(attestation, 'attestedAt'),
    bundleType: textMember(attestation, 'bundleType'),
    certificateHash: textMember(attestation, 'certificateHash'),
    nodeRuntimeHash: textMember(attestation, 'nodeRuntimeHash'),
    protocolVersion: member(attestation, 'protocolVersion') ?? null,
    ...(requestId !== null && { requestId }),
    verified: !isHashOnly,
    checks: isHashOnly ? [] : ['snapshot_hashes', 'certificate_hash'],
  };
}

export interface ResponseParts {
  /** The bundle of a response, with `certificateHash` and without `meta`. */
  readonly bundle: JsonObject;
  readonly meta: JsonObject;
  readonly requestId: string;
  readonly verifyUrl: string;
  /** Openings and warnings of a confidential execution, beside the certificate and never inside it. */
  readonly beside?: JsonObject;
}

/** The JSON texts that a record was stored with. */
export interface StoredTexts {
  /** Null where the stored bundle is not the bundle of the answer. */
  readonly bundle: string | null;
  readonly meta: string;
}

/**
 * The answer of certify and attest, the same for the first request and for every replay.
 * @see docs/spec.md, "Certify response"
 */
export function certifyResponse(parts: ResponseParts): JsonObject {
  return { ok: true, cer: { ...parts.bundle, meta: parts.meta }, ...factsBeside(parts) };
}

/** The JSON text of `certifyResponse`; what the record was stored with is not serialized again. */
export function certifyResponseText(parts: ResponseParts, texts: StoredTexts): string {
  const bundle = texts.bundle ?? JSON.stringify(parts.bundle);
  const facts = JSON.stringify(factsBeside(parts));
  return `{"ok":true,"cer":${bundle.slice(0, -1)},"meta":${texts.meta}},${facts.slice(1)}`;
}

/** The members of the answer after the certificate. */
function factsBeside({ bundle, meta, requestId, verifyUrl, beside = {} }: ResponseParts): JsonObject {
  const attestation = objectMember(meta, 'attestation');
  const certificateHash = textMember(attestation, 'certificateHash');
  const bundleType = textMember(attestation, 'bundleType');
  const attestedAt = textMember(attestation, 'attestedAt');
  const kid = textMember(attestation, 'kid');
  const signature = textMember(attestation, 'signature');
  const orNull = (value: JsonValue | undefined): JsonValue => value ?? null;
  return {
    certificateHash,
    bundleType,
    // A hash-only attestation attests only the time of its receipt.
    createdAt: bundleType === HASH_ONLY ? null : orNull(member(bundle, 'createdAt')),
    attestationId: textMember(attestation, 'attestationId'),
    nodeRuntimeHash: textMember(attestation, 'nodeRuntimeHash'),
    protocolVersion: orNull(member(attestation, 'protocolVersion')),
    issuedAt: attestedAt,
    kid,
    attestorKeyId: kid,
    attestation: attestationSummary(attestation, requestId),
    receipt: objectMember(attestation, 'receipt'),
    signature,
    signatureB64Url: signature,
    verificationEnvelope: orNull(member(meta, 'verificationEnvelope')),
    verificationEnvelopeSignature: orNull(member(meta, 'verificationEnvelopeSignature')),
    timestamp: orNull(member(attestation, 'timestamp')),
    verificationUrl: verificationUrl(verifyUrl, certificateHash),
    requestId,
    ...beside,
  };
}
