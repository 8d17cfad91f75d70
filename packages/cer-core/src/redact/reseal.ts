import { formatPath, member, type JsonObject, type JsonValue } from '@cer/canonical-json';
import {
  attestBundle,
  type AttestationFacts,
  type AttestationMeta,
  type Attestor,
  type SealedBundle,
} from '../attest/attest.js';
import { protectedSetOf } from '../bundle-types/execution-v2.js';
import type { Layout } from '../bundle-types/layout.js';
import { REDACTED_RESEAL, RESEAL } from '../bundle-types/registry.js';
import type { Sha256Hash } from '../hash.js';
import type { Protocol } from '../protocols/protocols.js';
import { sealBundle } from '../seal/seal-execution.js';
import { redact } from './redact.js';
import type { ValuePath } from './withheld-paths.js';

/** Source of the reseal: a bundle that the node verified in the same request, and its attestation of it. */
export interface Original extends SealedBundle {
  readonly layout: Layout;
  readonly protocol: Protocol;
  readonly meta: AttestationMeta;
}

/** A public reseal: `bundle` with `meta.provenance` and a separate attestation. */
export interface Reseal {
  readonly bundle: JsonObject;
  readonly certificateHash: Sha256Hash;
}

/** `public.v1:` and the withheld paths in order. */
export function redactionPolicyFor(paths: readonly ValuePath[]): string {
  return `public.v1:${paths.map(formatPath).sort().join(',')}`;
}

/**
 * Redacts, seals again and attests again, with the same attestationId and time as the original's attestation.
 * @see docs/spec.md, "signed-redacted-reseal"
 */
export async function resealForPublication(
  original: Original,
  paths: readonly ValuePath[],
  attestor: Attestor,
  facts: AttestationFacts,
): Promise<Reseal> {
  const redacted = redact(original.layout.projectForHash(original.bundle), paths);
  const unsealed: JsonObject = { ...redacted, bundleType: RESEAL };
  const isProtected = member(original.bundle, 'protectedSet') !== undefined;
  const sealed = sealBundle(
    isProtected ? { ...unsealed, protectedSet: protectedSetOf(unsealed) } : unsealed,
    original.layout,
    original.protocol,
  );
  const redactionPolicy = redactionPolicyFor(paths);
  const { attestation } = await attestBundle(sealed, attestor, facts, {
    originalCertificateHash: original.certificateHash,
    redactionPolicy,
  });
  const provenance: JsonObject = {
    kind: REDACTED_RESEAL,
    originalCertificateHash: original.certificateHash,
    redactedAt: facts.attestedAt,
    redactionPolicy,
    original: {
      certificateHash: original.certificateHash,
      receipt: memberOrNull(original.meta.attestation, 'receipt'),
      signature: memberOrNull(original.meta.attestation, 'signature'),
    },
  };
  return { bundle: { ...sealed.bundle, meta: { attestation, provenance } }, certificateHash: sealed.certificateHash };
}

function memberOrNull(object: JsonObject, name: string): JsonValue {
  return member(object, name) ?? null;
}
