import { randomBytes } from 'node:crypto';
import { jwkThumbprint, publicKeyFromRaw, type Signer } from '@cer/keys';
import { readNothing, readTokenKey, readTokenKeys, type TokenAddress, type TokenKey } from './messages.js';
import { Pkcs11Error } from './pkcs11-error.js';
import { Pkcs11Signer } from './pkcs11-signer.js';
import { TokenConnection, type ConnectionOptions, type TokenCalls } from './token-connection.js';

/** A token that one comes back to by itself when it was away. */
export interface Token {
  /** The Ed25519 keys on it. */
  listKeys(): Promise<readonly TokenKey[]>;
  /**
   * Makes a key whose private half never leaves the token (not extractable, sensitive).
   * @param label what the token's own tools show beside it, 1 to 64 characters; need not be unique
   * @throws Pkcs11Error PKCS11_ED25519_UNSUPPORTED, PKCS11_KEY_EXTRACTABLE, and what signing throws
   */
  createKey(label: string): Promise<Signer>;
  /**
   * Opens a key, once it has shown that it signs.
   * @param kid RFC 7638 thumbprint
   * @throws Pkcs11Error PKCS11_KEY_NOT_FOUND, PKCS11_KEY_AMBIGUOUS, PKCS11_KEY_EXTRACTABLE, PKCS11_SIGNATURE_INVALID,
   * PKCS11_UNAVAILABLE
   */
  openKey(kid: string): Promise<Signer>;
  /** Erases a key, for good. @throws Pkcs11Error PKCS11_KEY_NOT_FOUND */
  destroyKey(kid: string): Promise<void>;
  /** Logs out. Signers of this token are of no use any more. */
  close(): void;
}

const DEFAULTS: ConnectionOptions = { timeoutMs: 10_000, reopenAfterMs: 1000 };

/**
 * A token behind a PKCS#11 module. Nothing is loaded before the first call, which starts a process for the module and
 * logs in there; a call that fails leaves nothing behind that a later one could stumble over.
 * @param address `modulePath`: the library; `token`: its label or slot; `pinFile`: readable by no other user
 * @param options `timeoutMs`: how long one call may take (10 s unless given), then the process is ended and replaced;
 * `reopenAfterMs`: the pause between two logins (1 s); `environment`: the process's, that of this one unless given
 */
export function connectToken(address: TokenAddress, options: Partial<ConnectionOptions> = {}): Token {
  return tokenOf(new TokenConnection(address, { ...DEFAULTS, ...options }));
}

/** The token behind such calls. */
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

/** What is signed to prove a key begins so, and can be no receipt. */
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
  return new Pkcs11Error('PKCS11_SIGNATURE_INVALID', 'PKCS#11 token: gave out a key under a kid that is not its own');
}
