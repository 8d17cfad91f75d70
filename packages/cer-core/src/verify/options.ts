import type { NodeKeySet, SignatureVerifier } from '@cer/keys';
import type { BundleTypeRegistry } from '../bundle-types/registry.js';
import type { ProtocolRegistry } from '../protocols/protocols.js';
import type { TimestampVerifier } from './timestamp-verifier.js';
import type { TransparencyVerifier } from './transparency-verifier.js';

/** Pins and requirements of the caller. The verified data never overrides them. */
export interface VerifyOptions {
  /** The node's published keys as the caller obtained them; without them a signed bundle cannot pass. */
  readonly keySet?: NodeKeySet | null;
  /** The node that the caller expects, if pinned independently of the key set. */
  readonly nodeId?: string | null;
  /** The caller's clock, ISO-8601: only copied into the report. */
  readonly verifiedAt: string;
  readonly requireAttestation?: boolean;
  /** Refuse reseals and hash-only records. */
  readonly requireFullArtifact?: boolean;
  readonly protocols?: ProtocolRegistry;
  readonly bundleTypes?: BundleTypeRegistry;
  /** Checks external timestamps against the roots the caller pinned; without it tokens are ignored. */
  readonly timestamps?: TimestampVerifier | null;
  /** Checks log proofs under the policy the caller pinned; without it proofs are ignored. */
  readonly transparency?: TransparencyVerifier | null;
  /** Refuse a receipt that no log of the policy holds. */
  readonly requireLog?: boolean;
  /** Another Ed25519 backend than the platform's. */
  readonly verifySignature?: SignatureVerifier;
}
