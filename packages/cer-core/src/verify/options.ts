import type { NodeKeySet, SignatureVerifier } from '@cer/keys';
import type { BundleTypeRegistry } from '../bundle-types/registry.js';
import type { ProtocolRegistry } from '../protocols/protocols.js';
import type { TimestampVerifier } from './timestamp-verifier.js';

/** What the caller pins and demands. Nothing that travels inside what is verified ever takes its place. */
export interface VerifyOptions {
  /** The node's published keys as the caller got them; without it a signed bundle cannot pass. */
  readonly keySet?: NodeKeySet | null;
  /** The node the caller expects, where that is more than the key set's own word. */
  readonly nodeId?: string | null;
  /** The caller's clock, ISO-8601: it goes into the report and decides nothing. */
  readonly verifiedAt: string;
  readonly requireAttestation?: boolean;
  /** Refuse reseals and hash-only records. */
  readonly requireFullArtifact?: boolean;
  readonly protocols?: ProtocolRegistry;
  readonly bundleTypes?: BundleTypeRegistry;
  /** Checks external timestamps against the roots the caller pinned; without it no token is looked at. */
  readonly timestamps?: TimestampVerifier | null;
  /** Another Ed25519 backend than the platform's. */
  readonly verifySignature?: SignatureVerifier;
}
