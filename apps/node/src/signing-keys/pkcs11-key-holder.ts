import { toSpkiBase64, type PublicKey, type Signer } from '@cer/keys';
import { Pkcs11Error, type Pkcs11ErrorCode, type Token } from '@cer/pkcs11';
import { SignerAwayError, type HeldKey, type SigningKeyHolder } from '../signing/key-holder.js';

/** Messages that the public route `/ready` may show. The module's own message is logged with the causing error. */
const REASONS = {
  PKCS11_BINDING_MISSING: 'the package pkcs11js is not installed',
  PKCS11_MODULE_UNUSABLE: 'PKCS11_MODULE cannot be loaded',
  PKCS11_TOKEN_AMBIGUOUS: 'several hardware tokens have the label of PKCS11_TOKEN_LABEL',
  PKCS11_PIN_FILE_INVALID: 'PKCS11_PIN_FILE cannot be used',
  PKCS11_PIN_REFUSED: 'the hardware token refuses the PIN',
  PKCS11_PIN_WITHHELD: 'the hardware token is locked, or the next wrong PIN would lock it',
  PKCS11_ED25519_UNSUPPORTED: 'the hardware token has no Ed25519',
  PKCS11_KEY_NOT_FOUND: 'the signing key is not on the hardware token',
  PKCS11_KEY_AMBIGUOUS: 'the signing key is on the hardware token several times',
  PKCS11_KEY_EXTRACTABLE: 'the signing key may be read out of the hardware token',
  PKCS11_SIGNATURE_INVALID: 'the hardware token makes wrong signatures',
  PKCS11_UNAVAILABLE: 'the hardware token is absent',
} satisfies Record<Pkcs11ErrorCode, string>;

/**
 * Stores private keys on a hardware token that every node of the database can reach. The table stores only the kid, by
 * which the token finds the key.
 */
export function pkcs11KeyHolder(token: Token, now: () => Date): SigningKeyHolder {
  return {
    name: 'pkcs11',
    create: async () => {
      const { kid, publicKey } = await orAway(token.createKey(`certificates ${now().toISOString()}`));
      return { kid, publicKey, reference: `pkcs11:kid=${kid}` };
    },
    open: async ({ kid, publicKey }: HeldKey) => {
      const signer = await orAway(token.openKey(kid));
      if (!isSame(signer.publicKey, publicKey)) {
        throw new SignerAwayError('the hardware token holds another key than the one that is published');
      }
      return sayingWhy(signer);
    },
    erase: async ({ kid }: HeldKey) => {
      try {
        await token.destroyKey(kid);
      } catch (error) {
        if (!(error instanceof Pkcs11Error && error.code === 'PKCS11_KEY_NOT_FOUND')) throw away(error);
      }
    },
    close: async () => {
      token.close();
    },
  };
}

function sayingWhy(signer: Signer): Signer {
  const { kid, publicKey } = signer;
  return { kid, publicKey, sign: (message) => orAway(signer.sign(message)) };
}

async function orAway<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw away(error);
  }
}

function away(error: unknown): unknown {
  return error instanceof Pkcs11Error ? new SignerAwayError(REASONS[error.code], { cause: error }) : error;
}

function isSame(one: PublicKey, other: PublicKey): boolean {
  return toSpkiBase64(one) === toSpkiBase64(other);
}
