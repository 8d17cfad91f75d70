import type { Attestor } from '@cer/cer-core/attest';
import { parseKeySet, type KeySetDocument } from '@cer/keys';
import { SignerAwayError } from '../signing/key-holder.js';
import type { Signing } from '../signing/signing.js';

/** Dependencies of the signing key routes for a node with fixed keys. */
export const FIXED_KEYS = {
  keyOperations: {
    rotate: () => Promise.reject(new SignerAwayError('the keys of this node are fixed')),
    revoke: () => Promise.reject(new SignerAwayError('the keys of this node are fixed')),
  },
  keyHistory: { document: () => Promise.reject(new SignerAwayError('the keys of this node have no history')) },
};

const PROBE = new TextEncoder().encode('ready');

/** Signs with one fixed key. */
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
