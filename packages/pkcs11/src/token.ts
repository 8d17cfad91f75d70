import { randomBytes } from 'node:crypto';
import { jwkThumbprint, publicKeyFromRaw, type Signer } from '@cer/keys';
import { readNothing, readTokenKey, readTokenKeys, type TokenAddress, type TokenKey } from './messages.js';
import { Pkcs11Error } from './pkcs11-error.js';
import { Pkcs11Signer } from './pkcs11-signer.js';
import { TokenConnection, type ConnectionOptions, type TokenCalls } from './token-connection.js';

/** A token that is reconnected automatically after an absence. */
export interface Token {
  /** The Ed25519 keys on it. */
  listKeys(): Promise<readonly TokenKey[]>;
  /**
   * Creates a key whose private key never leaves the token (not extractable, sensitive).
   * @param label label shown by the token's tools, 1 to 64 characters; need not be unique
   * @throws Pkcs11Error PKCS11_ED25519_UNSUPPORTED, PKCS11_KEY_EXTRACTABLE, and errors of signing
   */
  createKey(label: string): Promise<Signer>;
  /**
   * Opens a key after a test signature has verified.
   * @param kid RFC 7638 thumbprint
   * @throws Pkcs11Error PKCS11_KEY_NOT_FOUND, PKCS11_KEY_AMBIGUOUS, PKCS11_KEY_EXTRACTABLE, PKCS11_SIGNATURE_INVALID,
   * PKCS11_UNAVAILABLE
   */
  openKey(kid: string): Promise<Signer>;
  /** Erases a key irrevocably. @throws Pkcs11Error PKCS11_KEY_NOT_FOUND */
  destroyKey(kid: string): Promise<void>;
  /** Logs out. Signers of this token fail from then on. */
  close(): void;
}

const DEFAULTS: ConnectionOptions = { timeoutMs: 10_000, reopenAfterMs: 1000 };

/**
 * A token behind a PKCS#11 module. The first call starts a process for the module and logs in; a failed call leaves no
 * state behind.
 * @param address `modulePath`: the library; `token`: its label or slot; `pinFile`: readable by no other user
 * @param options `timeoutMs`: maximum duration of one call (default 10 s), after which the process is ended and
 * replaced; `reopenAfterMs`: minimum interval between logins (default 1 s); `environment`: of the process, inherited by
 * default
 */
export function connectToken(address: TokenAddress, options: Partial<ConnectionOptions> = {}): Token {
  return tokenOf(new TokenConnection(address, { ...DEFAULTS, ...options }));
}

/** A token over a connection. */
export function tokenOf(calls: TokenCalls): Token {
  return {
    listKeys: () => calls.ask({ operation: 'list' }, readTokenKeys, { again: true }),
    createKey: async (label) => {
      if (label.length < 1 || label.length > 64) throw new RangeError('label: must have 1 to 64 characters');
      return prove(await calls.ask({ operation: 'create', label }, readTokenKey, { again: false }), calls);
    },
    openKey: async (kid) => {
      const key = await calls.ask({ operation: 'find', kid }, readTokenKey, { again: true });
      if (key.kid !== kid) throw impostor();
      return prove(key, calls);
    },
    destroyKey: async (kid) => {
      await calls.ask({ operation: 'destroy', kid }, readNothing, { again: false });
    },
    close: () => {
      calls.close();
    },
  };
}

/** Prefix of the message that proves a key; a message with this prefix cannot be a receipt. */
const PROOF = new TextEncoder().encode('proof that a key signs: ');

async function prove(key: TokenKey, calls: TokenCalls): Promise<Signer> {
  if (jwkThumbprint(publicKeyFromRaw(key.point)) !== key.kid) {
    throw impostor();
  }
  const signer = new Pkcs11Signer(key, calls);
  await signer.sign(Uint8Array.of(...PROOF, ...randomBytes(32)));
  return signer;
}

function impostor(): Pkcs11Error {
  return new Pkcs11Error('PKCS11_SIGNATURE_INVALID', 'PKCS#11 token: returned a key that does not match its kid');
}
