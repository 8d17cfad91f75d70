import { openSealedBytes, sealBytes } from '@cer/keys/sealed-bytes';
import { followFile } from './follow-file.js';
import { readSecretsFile } from './secrets-file.js';

/** The purpose of a secret: one sealed for a purpose and a user opens for no other. */
export type SecretPurpose = 'authenticator' | 'authenticator being added';

export interface SealedSecret {
  readonly keyId: string;
  /** Nonce, ciphertext and tag, base64url. */
  readonly sealed: string;
}

/** Seals secrets that the database keeps: AES-256-GCM, with the user and the purpose as additional data. */
export interface SecretBox {
  seal(purpose: SecretPurpose, userId: string, secret: string): SealedSecret;
  /** @returns null unless it was sealed for this purpose and user under a key of the file, and is unchanged */
  open(purpose: SecretPurpose, userId: string, sealed: SealedSecret): string | null;
  /** Of the keys in the file, the current one first. */
  keyIds(): readonly string[];
}

/**
 * Follows the file: a key that another process added is used at once.
 * @throws SecretFileError and SecretsFileError as readSecretsFile, here and from every method
 */
export function openSecretBox(path: string): SecretBox {
  const keys = followFile(path, readSecretsFile);
  return {
    seal: (purpose, userId, secret) => {
      const [current] = keys();
      if (current === undefined) throw new Error('the secrets file holds no key');
      const { key, keyId } = current;
      return { keyId, sealed: sealBytes(key, contextOf(purpose, userId), Buffer.from(secret)) };
    },
    open: (purpose, userId, sealed) => {
      const found = keys().find(({ keyId }) => keyId === sealed.keyId);
      if (found === undefined) return null;
      return openSealedBytes(found.key, contextOf(purpose, userId), sealed.sealed)?.toString('utf8') ?? null;
    },
    keyIds: () => keys().map(({ keyId }) => keyId),
  };
}

function contextOf(purpose: SecretPurpose, userId: string): string {
  return `dashboard secret\n${purpose}\n${userId}`;
}
