import type { Attestor } from '@cer/cer-core';
import { SignerAwayError } from './key-holder.js';
import { parseKeySet, type KeySetDocument, type NodeKeySet } from '@cer/keys';

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

/** The routes of keys that never change: for tests and benchmarks. */
export const FIXED_KEYS = {
  keyActs: {
    rotate: () => Promise.reject(new SignerAwayError('the keys of this node are fixed')),
    revoke: () => Promise.reject(new SignerAwayError('the keys of this node are fixed')),
  },
  keyHistory: { document: () => Promise.reject(new SignerAwayError('the keys of this node have no history')) },
};

const PROBE = new TextEncoder().encode('ready');

/** One key for ever: for tests and benchmarks. */
export function fixedSigning(attestor: Attestor, document: KeySetDocument): Signing {
  const published = { document, keySet: parseKeySet(document), maxAgeSeconds: 60 };
  return {
    attestorAt: async () => attestor,
    published: () => published,
    prove: async () => {
      await attestor.signer.sign(PROBE);
    },
  };
}
