import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { decodeBase64, encodeBase64 } from './base64.js';
import { jwkThumbprint } from './fingerprint.js';
import type { KeyError } from './key-error.js';
import type { KeyFileKey } from './key-file-format.js';
import type { PublishableKey } from './key-set-document.js';
import { publicKeyFromSpki, type PublicKey } from './public-key.js';
import type { Signer } from './signer.js';

/** Signs on the thread pool. The private key is a private field, hidden from JSON and inspection. */
export class NativeSigner implements Signer {
  readonly kid: string;
  readonly publicKey: PublicKey;
  readonly #privateKey: KeyObject;

  constructor(kid: string, publicKey: PublicKey, privateKey: KeyObject) {
    this.kid = kid;
    this.publicKey = publicKey;
    this.#privateKey = privateKey;
  }

  /** Whether the public and the private key match. */
  isPair(): boolean {
    if (this.#privateKey.asymmetricKeyType !== 'ed25519') return false;
    const spki = createPublicKey(this.#privateKey).export({ format: 'der', type: 'spki' });
    return jwkThumbprint(publicKeyFromSpki(spki)) === jwkThumbprint(this.publicKey);
  }

  sign(message: Uint8Array): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      sign(null, message, this.#privateKey, (error, signature) => {
        if (error === null) resolve(new Uint8Array(signature));
        else reject(error);
      });
    });
  }
}

/** A parsed key of a key file. */
export interface LoadedKey {
  readonly published: PublishableKey;
  readonly privateKey: KeyObject;
}

/** @throws the error that `refuse` returns, naming the rule */
export function loadKey({ privateKey: encoded, ...life }: KeyFileKey, refuse: (rule: string) => KeyError): LoadedKey {
  const privateKey = parsePrivateKey(encoded);
  if (privateKey?.asymmetricKeyType !== 'ed25519') throw refuse('privateKey must be base64 of an Ed25519 PKCS#8 key');
  const publicKey = publicKeyFromSpki(createPublicKey(privateKey).export({ format: 'der', type: 'spki' }));
  if (life.kid !== jwkThumbprint(publicKey)) throw refuse('kid must be the RFC 7638 thumbprint of the key');
  return { published: { ...life, publicKey }, privateKey };
}

/** Null instead of the library's error, which may reveal the text it could not read. */
export function parsePrivateKey(text: string): KeyObject | null {
  try {
    return createPrivateKey({ key: Buffer.from(decodeBase64(text)), format: 'der', type: 'pkcs8' });
  } catch {
    return null;
  }
}

/** A new active key in the format of a key file. */
export function freshKey(at: Date): KeyFileKey {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const now = at.toISOString();
  return {
    kid: jwkThumbprint(publicKeyFromSpki(publicKey.export({ format: 'der', type: 'spki' }))),
    privateKey: encodeBase64(privateKey.export({ format: 'der', type: 'pkcs8' })),
    status: 'active',
    createdAt: now,
    notBefore: now,
  };
}
