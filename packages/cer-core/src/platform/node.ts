import { createHash, createHmac, hash as hashOnce } from 'node:crypto';

// crypto.hash came with Node 20.12 and is 1.7 times as fast for short input; both take text as UTF-8.
export const sha256Hex: (data: string | Uint8Array) => string =
  typeof hashOnce === 'function'
    ? (data) => hashOnce('sha256', data, 'hex')
    : (data) => createHash('sha256').update(data).digest('hex');

export function hmacSha256(key: Uint8Array, message: Uint8Array): Uint8Array {
  return createHmac('sha256', key).update(message).digest();
}
