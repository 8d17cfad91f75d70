import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { decodeBase64Url, encodeBase64Url } from './base64.js';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts bytes with AES-256-GCM under a fresh nonce.
 * @param key 32 bytes
 * @param context additional data: sealed bytes open with the same text only
 * @returns nonce, ciphertext and tag, base64url
 */
export function sealBytes(key: Uint8Array, context: string, bytes: Uint8Array): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(context));
  return encodeBase64Url(Buffer.concat([nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]));
}

/** @returns null unless the bytes were sealed under this key with this context, and are unchanged */
export function openSealedBytes(key: Uint8Array, context: string, sealed: string): Buffer | null {
  try {
    const bytes = decodeBase64Url(sealed);
    const tagAt = bytes.length - TAG_BYTES;
    const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(tagAt));
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, tagAt)), decipher.final()]);
  } catch {
    // Other bytes, another key or another context: the cipher does not say which.
    return null;
  }
}
