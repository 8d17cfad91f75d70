import { createPrivateKey, createPublicKey, generateKeyPairSync, randomUUID, sign, type KeyObject } from 'node:crypto';
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { decodeBase64, encodeBase64 } from './base64.js';
import { jwkThumbprint } from './fingerprint.js';
import { KeyError } from './key-error.js';
import { readKeyFile, writeKeyFile, type KeyFileKey } from './key-file-format.js';
import { formatKeySet, type KeySetDocument, type PublishableKey } from './key-set-document.js';
import { publicKeyFromSpki, type PublicKey } from './public-key.js';
import type { Signer } from './signer.js';

/** A key file in memory. Nothing in it prints a private key, neither as JSON nor by inspection. */
export interface OpenedKeyFile {
  readonly nodeId: string;
  /** Signs with the active key. */
  readonly signer: Signer;
  /** What the node publishes. */
  readonly keySet: KeySetDocument;
}

const OWNER_ONLY = 0o600;
const MAX_BYTES = 1024 * 1024;

/** Signs on the thread pool. The private key is a private field, so neither JSON nor inspection reaches it. */
class FileSigner implements Signer {
  readonly kid: string;
  readonly publicKey: PublicKey;
  readonly #privateKey: KeyObject;

  constructor(kid: string, publicKey: PublicKey, privateKey: KeyObject) {
    this.kid = kid;
    this.publicKey = publicKey;
    this.#privateKey = privateKey;
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

/**
 * Makes a key file with one fresh active key. The file appears whole or not at all, readable by its owner only; of two
 * creators at once exactly one succeeds.
 * @param options `nodeId`: whose keys these are; `now`: when the key's life begins
 * @throws KeyError KEY_FILE_EXISTS when the path is taken (it is never overwritten), KEY_FILE_UNWRITABLE
 */
export function createKeyFile(path: string, options: { readonly nodeId: string; readonly now: Date }): OpenedKeyFile {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const now = options.now.toISOString();
  const key: KeyFileKey = {
    kid: jwkThumbprint(publicKeyFromSpki(publicKey.export({ format: 'der', type: 'spki' }))),
    privateKey: encodeBase64(privateKey.export({ format: 'der', type: 'pkcs8' })),
    status: 'active',
    createdAt: now,
    notBefore: now,
  };
  // What is written is what `openKeyFile` would read: a file that could not be opened again is never made.
  const text = writeKeyFile({ nodeId: options.nodeId, keys: [key] });
  const opened = openText(path, text);
  writeOnce(path, text);
  return opened;
}

/**
 * Opens a key file.
 * @throws KeyError KEY_FILE_NOT_FOUND; KEY_FILE_PERMISSIONS when anybody but the owner has access; KEY_FILE_INVALID,
 * naming the member and the rule
 */
export function openKeyFile(path: string): OpenedKeyFile {
  return openText(path, readPrivately(path));
}

function openText(path: string, text: string): OpenedKeyFile {
  const refuse = (rule: string): KeyError => new KeyError('KEY_FILE_INVALID', `key file ${path}: ${rule}`);
  const { nodeId, keys } = readKeyFile(text, refuse);
  const loaded = keys.map((key, at) => loadKey(key, (rule) => refuse(`keys[${at}]: ${rule}`)));
  if (new Set(keys.map(({ kid }) => kid)).size < keys.length) throw refuse('keys must not hold the same key twice');
  const active = loaded.filter(({ published }) => published.status === 'active');
  const [current] = active;
  if (current === undefined || active.length > 1) throw refuse(`exactly one key must be active, not ${active.length}`);
  const { published, privateKey } = current;
  return {
    nodeId,
    signer: new FileSigner(published.kid, published.publicKey, privateKey),
    keySet: formatKeySet({ nodeId, activeKid: published.kid, keys: loaded.map((key) => key.published) }),
  };
}

interface LoadedKey {
  readonly published: PublishableKey;
  readonly privateKey: KeyObject;
}

function loadKey({ privateKey: encoded, ...life }: KeyFileKey, refuse: (rule: string) => KeyError): LoadedKey {
  const privateKey = parsePrivateKey(encoded);
  if (privateKey?.asymmetricKeyType !== 'ed25519') throw refuse('privateKey must be base64 of an Ed25519 PKCS#8 key');
  const publicKey = publicKeyFromSpki(createPublicKey(privateKey).export({ format: 'der', type: 'spki' }));
  if (life.kid !== jwkThumbprint(publicKey)) throw refuse('kid must be the RFC 7638 thumbprint of the key');
  return { published: { ...life, publicKey }, privateKey };
}

/** Null instead of the library's error, which may tell about the text it could not read. */
function parsePrivateKey(text: string): KeyObject | null {
  try {
    return createPrivateKey({ key: Buffer.from(decodeBase64(text)), format: 'der', type: 'pkcs8' });
  } catch {
    return null;
  }
}

function readPrivately(path: string): string {
  const file = openForReading(path);
  try {
    const found = fstatSync(file);
    if (!found.isFile()) throw new KeyError('KEY_FILE_INVALID', `key file ${path}: must be a regular file`);
    if ((found.mode & 0o077) !== 0) {
      throw new KeyError(
        'KEY_FILE_PERMISSIONS',
        `key file ${path}: others than its owner have access. Run: chmod 600 ${path}. If others may have read it, revoke its keys`,
      );
    }
    if (found.size > MAX_BYTES) throw new KeyError('KEY_FILE_INVALID', `key file ${path}: must be at most 1 MiB`);
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

function openForReading(path: string): number {
  try {
    // Without O_NONBLOCK, opening a named pipe would wait for its writer forever.
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (cause) {
    switch (errorCodeOf(cause)) {
      case 'ENOENT':
        throw new KeyError('KEY_FILE_NOT_FOUND', `key file ${path}: not found. Create it first, or correct the path`);
      case 'EACCES':
      case 'EPERM':
        throw new KeyError('KEY_FILE_PERMISSIONS', `key file ${path}: not readable by this user, who must own it`);
      default:
        throw new KeyError('KEY_FILE_INVALID', `key file ${path}: cannot be opened (${errorCodeOf(cause)})`);
    }
  }
}

/** Writes beside the path, then gives the finished file its name: `link`, unlike `rename`, never replaces a file. */
function writeOnce(path: string, text: string): void {
  const draft = `${path}.${randomUUID()}.tmp`;
  try {
    writeDurably(draft, text);
    linkSync(draft, path);
    syncFolder(dirname(path));
  } catch (cause) {
    if (errorCodeOf(cause) === 'EEXIST') {
      throw new KeyError(
        'KEY_FILE_EXISTS',
        `key file ${path}: exists already and is never overwritten. Open it, or choose another path`,
      );
    }
    throw new KeyError(
      'KEY_FILE_UNWRITABLE',
      `key file ${path}: cannot be written (${errorCodeOf(cause)}). Its folder must exist, be writable and be on a file system with hard links`,
    );
  } finally {
    rmSync(draft, { force: true });
  }
}

function writeDurably(path: string, text: string): void {
  const file = openSync(path, 'wx', OWNER_ONLY);
  try {
    fchmodSync(file, OWNER_ONLY);
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

function errorCodeOf(error: unknown): string {
  const named = typeof error === 'object' && error !== null && 'code' in error;
  return named && typeof error.code === 'string' ? error.code : 'unknown fault';
}
