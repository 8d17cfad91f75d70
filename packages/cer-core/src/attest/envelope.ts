import { member, pickPresent, type JsonObject } from '@cer/canonical-json';
import { jcsV1 } from '../profiles.js';

// The verification envelope signs the content itself beside the facts of its attestation.
// @see docs/spec.md, "Verification envelope"

export const ENVELOPE_TYPE = 'svc.verification.envelope.v2';
export const ENVELOPE_SPEC_VERSION = '0.16.1';

export const ENVELOPE_ATTESTATION_MEMBERS = [
  'attestationId',
  'attestedAt',
  'kid',
  'nodeRuntimeHash',
  'protocolVersion',
] as const;

/** No policyEvaluation and no certificateHash: reports say so. */
const ENVELOPE_BUNDLE_MEMBERS = [
  'bundleType',
  'version',
  'createdAt',
  'snapshot',
  'context',
  'contextSummary',
] as const;

export interface EnvelopeAttestation {
  readonly attestationId: string;
  readonly attestedAt: string;
  readonly kid: string;
  readonly nodeRuntimeHash: string;
  readonly protocolVersion: string;
}

/** The part of a bundle that its envelope signs, taken from the members present. */
export function projectForEnvelope(bundle: JsonObject): JsonObject {
  return pickPresent(bundle, ENVELOPE_BUNDLE_MEMBERS);
}

/**
 * The signed text: JCS of `{attestation, bundle}`.
 * @param canonicalBundle the JCS form of the bundle projection. "attestation" sorts before "bundle", so the two
 *   canonical parts can be joined, and the bundle need not be canonicalized again after its hash was made.
 */
export function envelopePayload(attestation: JsonObject, canonicalBundle: string): string {
  return `{"attestation":${jcsV1.canonicalize(attestation)},"bundle":${canonicalBundle}}`;
}

/**
 * The JCS form of the envelope's bundle projection.
 * @param hashed the projection that was hashed and its canonical text, when they are at hand
 */
export function canonicalEnvelopeBundle(
  bundle: JsonObject,
  hashed: { readonly projection: JsonObject; readonly canonical: string } | null,
): string {
  const projection = projectForEnvelope(bundle);
  // svc-v1 text equals jcs-v1 text unless a lone surrogate was escaped; where one might be, canonicalize again.
  const isReusable =
    hashed !== null && hasSameMembers(hashed.projection, projection) && !hashed.canonical.includes('\\ud');
  return isReusable ? hashed.canonical : jcsV1.canonicalize(projection);
}

function hasSameMembers(left: JsonObject, right: JsonObject): boolean {
  const names = Object.keys(left);
  return names.length === Object.keys(right).length && names.every((name) => Object.hasOwn(right, name));
}

/** `meta.verificationEnvelope` for a bundle. */
export function createEnvelope(bundle: JsonObject, attestation: EnvelopeAttestation): JsonObject {
  return {
    envelopeType: ENVELOPE_TYPE,
    specVersion: ENVELOPE_SPEC_VERSION,
    algorithm: 'Ed25519',
    canonicalization: 'jcs',
    scope: 'whitelist',
    kid: attestation.kid,
    signedFields: {
      attestation: [...ENVELOPE_ATTESTATION_MEMBERS],
      bundle: ENVELOPE_BUNDLE_MEMBERS.filter((name) => member(bundle, name) !== undefined),
    },
    attestation: { ...attestation },
  };
}
