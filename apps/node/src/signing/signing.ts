import type { Attestor } from '@cer/cer-core/attest';
import type { KeySetDocument, NodeKeySet } from '@cer/keys';

/** The key set as it is now: what is published, and the same as verification reads it. */
export interface PublishedKeys {
  readonly document: KeySetDocument;
  readonly keySet: NodeKeySet;
  /** How long a verifier may keep the document, in whole seconds. */
  readonly maxAgeSeconds: number;
}

/** What the node signs with and verifies against. Both change while it runs, so ask each time and keep no answer. */
export interface Signing {
  /**
   * Who attests what is dated `time`. Use the one answer for everything that the attestation signs and names: kid and
   * signatures are then of one key.
   * @throws SignerAwayError when nothing may be signed now: no key, the clock behind, the key table out of reach
   */
  attestorAt(time: Date): Promise<Attestor>;
  published(): PublishedKeys;
  /**
   * Resolves when a signature can be had at `time`.
   * @throws SignerAwayError with the reason
   */
  prove(time: Date): Promise<void>;
}
