import type { Attestor } from '@cer/cer-core/attest';
import type { KeySetDocument, NodeKeySet } from '@cer/keys';

/** The current key set, in its published and in its parsed form. */
export interface PublishedKeys {
  readonly document: KeySetDocument;
  readonly keySet: NodeKeySet;
  /** Cache lifetime of the document, in whole seconds. */
  readonly maxAgeSeconds: number;
}

/** The node's signer and key set. Both change at run time, so callers must not cache them. */
export interface Signing {
  /**
   * The attester for a time. Use one result for all parts of an attestation, so that kid and signatures belong to one
   * key.
   * @throws SignerAwayError when signing is unavailable: no key, clock behind, key table unreachable
   */
  attestorAt(time: Date): Promise<Attestor>;
  published(): PublishedKeys;
  /**
   * Resolves when signing is possible at `time`.
   * @throws SignerAwayError with the reason
   */
  prove(time: Date): Promise<void>;
}
