import { jwkThumbprint } from '@cer/keys';
import type { TokenKey } from '../messages.js';
import { Pkcs11Error } from '../pkcs11-error.js';
import { createKey, destroyKey, listKeys, type KeyObjects } from './key-objects.js';
import type { SessionPool } from './session-pool.js';

/** The keys of one token, by kid. Handles are cached for the lifetime of this process. */
export class TokenKeys {
  readonly #sessions: SessionPool;
  readonly #known = new Map<string, KeyObjects>();

  constructor(sessions: SessionPool) {
    this.#sessions = sessions;
  }

  async list(): Promise<TokenKey[]> {
    return (await this.#all()).map(describe);
  }

  create(label: string): TokenKey {
    const key = this.#sessions.write((session) => createKey(this.#sessions.cryptoki, session, label));
    this.#known.set(jwkThumbprint(key.publicKey), key);
    return describe(key);
  }

  async find(kid: string): Promise<TokenKey> {
    return describe(await this.#find(kid));
  }

  async sign(kid: string, message: Uint8Array): Promise<Uint8Array> {
    return this.#sessions.sign((await this.#find(kid)).privateObject, message);
  }

  /** @throws Pkcs11Error PKCS11_UNAVAILABLE when the token reports the key as erased but still has it */
  async destroy(kid: string): Promise<void> {
    const key = await this.#search(kid);
    this.#known.delete(kid);
    this.#sessions.write((session) => {
      destroyKey(this.#sessions.cryptoki, session, key);
    });
    if ((await this.#all()).some(({ publicKey }) => jwkThumbprint(publicKey) === kid)) {
      throw new Pkcs11Error('PKCS11_UNAVAILABLE', 'PKCS#11 token: still has the key after erasing it');
    }
  }

  async #find(kid: string): Promise<KeyObjects> {
    const known = this.#known.get(kid);
    if (known !== undefined) return known;
    const key = await this.#search(kid);
    this.#known.set(kid, key);
    return key;
  }

  async #search(kid: string): Promise<KeyObjects> {
    const [key, other] = (await this.#all()).filter(({ publicKey }) => jwkThumbprint(publicKey) === kid);
    if (key === undefined) throw new Pkcs11Error('PKCS11_KEY_NOT_FOUND', 'PKCS#11 token: has no key with this kid');
    if (other !== undefined) {
      throw new Pkcs11Error('PKCS11_KEY_AMBIGUOUS', 'PKCS#11 token: has several private keys under the id of this key');
    }
    if (key.isExtractable) {
      throw new Pkcs11Error('PKCS11_KEY_EXTRACTABLE', 'PKCS#11 token: the private key is extractable');
    }
    return key;
  }

  #all(): Promise<KeyObjects[]> {
    return this.#sessions.read((session) => listKeys(this.#sessions.cryptoki, session));
  }
}

function describe({ publicKey, label }: KeyObjects): TokenKey {
  return { kid: jwkThumbprint(publicKey), label, point: publicKey.raw };
}
