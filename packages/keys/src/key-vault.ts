import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { decodeBase64, encodeBase64 } from './base64.js';
import { jwkThumbprint } from './fingerprint.js';
import { KeyError } from './key-error.js';
import { readKeyFile, writeKeyFile, type KeyFile } from './key-file-format.js';
import type { PublishableKey } from './key-set-document.js';
import { freshKey, loadKey, NativeSigner, parsePrivateKey } from './native-signer.js';
import { readPrivately, replacePrivately, whileLocked, writeOnce } from './key-file.js';
import { publicKeyFromSpki, type PublicKey } from './public-key.js';
import { openSealedBytes, sealBytes } from './sealed-bytes.js';
import type { Signer } from './signer.js';

/** A key pair with an encrypted private key, safe to store in a database. */
export interface SealedKey {
  /** RFC 7638 thumbprint. */
  readonly kid: string;
  readonly publicKey: PublicKey;
  /** AES-256-GCM under the vault's wrapping key, bound to the kid; base64url. */
  readonly sealed: string;
}

const WRAPPING_KEY_BYTES = 32;

/**
 * A key file whose wrapping key encrypts the signing keys stored in a database. Neither JSON nor inspection shows a key
 * in plaintext.
 */
export class KeyVault {
  readonly nodeId: string;
  /** The signing keys in the file itself; empty once they are retired. */
  readonly keys: readonly PublishableKey[];
  readonly #path: string;
  readonly #privateKeys: ReadonlyMap<string, Buffer>;
  readonly #wrappingKey: Uint8Array | null;

  /** @throws KeyError KEY_FILE_INVALID naming the member and the rule */
  constructor(path: string, text: string) {
    const refuse = (rule: string): KeyError => new KeyError('KEY_FILE_INVALID', `key file ${path}: ${rule}`);
    const { nodeId, wrappingKey, keys } = readKeyFile(text, refuse);
    const loaded = keys.map((key, at) => loadKey(key, (rule) => refuse(`keys[${at}]: ${rule}`)));
    if (new Set(keys.map(({ kid }) => kid)).size < keys.length) throw refuse('keys must not hold the same key twice');
    const active = loaded.filter(({ published }) => published.status === 'active').length;
    if (active > 1) throw refuse(`at most one key must be active, not ${active}`);
    if (active === 0 && wrappingKey === undefined)
      throw refuse('one key must be active, or there must be a wrappingKey');
    this.nodeId = nodeId;
    this.keys = loaded.map(({ published }) => published);
    this.#path = path;
    this.#wrappingKey = wrappingKey === undefined ? null : readWrappingKey(wrappingKey, refuse);
    this.#privateKeys = new Map(
      loaded.map(({ published, privateKey }) => [published.kid, privateKey.export({ format: 'der', type: 'pkcs8' })]),
    );
  }

  /** False for a file of an older release: see `addWrappingKey`. */
  get hasWrappingKey(): boolean {
    return this.#wrappingKey !== null;
  }

  /** Creates a key pair with a sealed private key. @throws KeyError KEY_FILE_INVALID without a wrapping key */
  create(): SealedKey {
    const { privateKey, publicKey: spki } = generateKeyPairSync('ed25519');
    const publicKey = publicKeyFromSpki(spki.export({ format: 'der', type: 'spki' }));
    const kid = jwkThumbprint(publicKey);
    return { kid, publicKey, sealed: this.#seal(kid, privateKey.export({ format: 'der', type: 'pkcs8' })) };
  }

  /** Seals one of `keys`. @throws KeyError KEY_FILE_INVALID for any other key, or without a wrapping key */
  seal(kid: string): string {
    const privateKey = this.#privateKeys.get(kid);
    if (privateKey === undefined) throw this.#refusal('holds no such key');
    return this.#seal(kid, privateKey);
  }

  /**
   * A signer for a sealed key.
   * @throws KeyError KEY_FILE_INVALID when it was sealed under another wrapping key, or does not match its public key
   */
  open({ kid, publicKey, sealed }: SealedKey): Signer {
    const privateKey = parsePrivateKey(encodeBase64(this.#unseal(kid, sealed)));
    if (privateKey === null) throw this.#refusal('a sealed key holds no private key');
    const signer = new NativeSigner(kid, publicKey, privateKey);
    if (!signer.isPair()) throw this.#refusal('a sealed key belongs to another public key');
    return signer;
  }

  #seal(kid: string, privateKey: Uint8Array): string {
    return sealBytes(this.#key(), contextOf(kid), privateKey);
  }

  #unseal(kid: string, sealed: string): Uint8Array {
    const privateKey = openSealedBytes(this.#key(), contextOf(kid), sealed);
    if (privateKey === null) throw this.#refusal('its wrapping key does not open the key');
    return privateKey;
  }

  #key(): Uint8Array {
    if (this.#wrappingKey === null) throw this.#refusal('has no wrappingKey');
    return this.#wrappingKey;
  }

  #refusal(rule: string): KeyError {
    return new KeyError('KEY_FILE_INVALID', `key file ${this.#path}: ${rule}`);
  }
}

/** Opens a key file as a vault. @throws KeyError KEY_FILE_NOT_FOUND, KEY_FILE_PERMISSIONS, KEY_FILE_INVALID */
export function openKeyVault(path: string): KeyVault {
  return new KeyVault(path, readPrivately(path));
}

/**
 * Creates a key file with a wrapping key and one new active key, or no signing key when keys are held elsewhere.
 * @throws KeyError KEY_FILE_EXISTS, KEY_FILE_UNWRITABLE
 */
export function createKeyVault(
  path: string,
  options: { readonly nodeId: string; readonly now: Date; readonly withKey: boolean },
): KeyVault {
  const text = writeKeyFile({
    nodeId: options.nodeId,
    wrappingKey: freshWrappingKey(),
    keys: options.withKey ? [freshKey(options.now)] : [],
  });
  const vault = new KeyVault(path, text);
  writeOnce(path, text);
  return vault;
}

/**
 * Adds a wrapping key to a key file of an older release; a file that has one is not changed.
 * @returns the vault after the change
 * @throws KeyError as `openKeyVault`, KEY_FILE_UNWRITABLE
 */
export function addWrappingKey(path: string): KeyVault {
  return change(path, (file) => (file.wrappingKey === undefined ? { ...file, wrappingKey: freshWrappingKey() } : file));
}

/**
 * Removes keys from a key file and overwrites its old content; the wrapping key stays.
 * @throws KeyError as `openKeyVault`, KEY_FILE_UNWRITABLE
 */
export function removeKeys(path: string, kids: ReadonlySet<string>): KeyVault {
  return change(path, (file) =>
    file.keys.some(({ kid }) => kids.has(kid))
      ? { ...file, keys: file.keys.filter(({ kid }) => !kids.has(kid)) }
      : file,
  );
}

function change(path: string, edit: (file: KeyFile) => KeyFile): KeyVault {
  return whileLocked(path, () => {
    const before = readPrivately(path);
    const file = readKeyFile(before, (rule) => new KeyError('KEY_FILE_INVALID', `key file ${path}: ${rule}`));
    const edited = edit(file);
    const text = edited === file ? before : writeKeyFile(edited);
    const vault = new KeyVault(path, text);
    if (text !== before) replacePrivately(path, text);
    return vault;
  });
}

function freshWrappingKey(): string {
  return encodeBase64(randomBytes(WRAPPING_KEY_BYTES));
}

function readWrappingKey(text: string, refuse: (rule: string) => KeyError): Uint8Array {
  const rule = `wrappingKey must be base64 of ${WRAPPING_KEY_BYTES} bytes`;
  try {
    const key = decodeBase64(text);
    if (key.length === WRAPPING_KEY_BYTES) return key;
  } catch {
    throw refuse(rule);
  }
  throw refuse(rule);
}

/** Bound to the kid, so that a sealed key cannot be substituted for another. */
function contextOf(kid: string): string {
  return `cer signing key v1 ${kid}`;
}
