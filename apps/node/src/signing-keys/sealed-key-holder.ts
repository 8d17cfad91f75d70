import { KeyError, type Signer } from '@cer/keys';
import type { KeyVault } from '@cer/keys/file-signer';
import { SignerAwayError, type HeldKey, type SigningKeyHolder } from '../signing/key-holder.js';

/** Stores private keys in the key table, sealed under the wrapping key of KEYS_FILE. */
export function sealedKeyHolder(vault: KeyVault): SigningKeyHolder {
  const guarded = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      if (error instanceof KeyError) {
        throw new SignerAwayError('KEYS_FILE does not open the signing key: it is not the one the key was made with', {
          cause: error,
        });
      }
      throw error;
    }
  };
  return {
    name: 'file',
    create: async () => {
      const { kid, publicKey, sealed } = guarded(() => vault.create());
      return { kid, publicKey, reference: sealed };
    },
    open: async ({ kid, publicKey, reference }: HeldKey): Promise<Signer> =>
      guarded(() => vault.open({ kid, publicKey, sealed: reference })),
    // The sealed text is the only copy, and the key table deletes it.
    erase: async () => undefined,
    close: async () => undefined,
  };
}
