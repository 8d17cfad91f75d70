import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { jwkThumbprint, publicKeyFromSpki, toSpki } from '@cer/keys';
import { SIGNER_RULES } from '@cer/keys/testing';

import { SignerAwayError, type HeldKey, type SigningKeyHolder } from '../../src/signing/key-holder.js';

/** Contract of key holders. `openHolder` opens one with the same keys, like another node. */
export function keyHolderContract(openHolder: () => SigningKeyHolder): void {
  let holder: SigningKeyHolder;
  let key: HeldKey;

  beforeAll(async () => {
    holder = openHolder();
    key = await holder.create();
  });
  afterAll(() => holder.close());

  it('creates distinct keys named by thumbprint', async () => {
    expect(key.kid).toBe(jwkThumbprint(key.publicKey));
    const other = await holder.create();
    expect(other.kid).not.toBe(key.kid);
    await holder.erase(other);
  });

  describe('a signer that another node opens', () => {
    it.each(SIGNER_RULES)('$sentence', async ({ holds }) => {
      const elsewhere = openHolder();
      try {
        expect(await holds(await elsewhere.open(key))).toBe(true);
      } finally {
        await elsewhere.close();
      }
    });
  });

  it('does not open a key under another public key', async () => {
    const other = await holder.create();
    const mixed = { ...key, publicKey: publicKeyFromSpki(toSpki(other.publicKey)) };
    await expect(holder.open(mixed)).rejects.toBeInstanceOf(SignerAwayError);
    await holder.erase(other);
  });

  it('erases idempotently', async () => {
    const gone = await holder.create();
    await holder.erase(gone);
    await expect(holder.erase(gone)).resolves.toBeUndefined();
  });
}
