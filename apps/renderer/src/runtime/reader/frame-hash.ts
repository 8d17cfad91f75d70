import { CHUNK_BYTES } from '@cer/sketch-engine/render-rules';

export type FramePixels = Uint8Array<ArrayBuffer> | Uint8ClampedArray<ArrayBuffer>;

/**
 * SHA-256 over the SHA-256 digests of consecutive 512 KiB chunks, as 64 hex digits. Chunks this small are copied without
 * page faults. The bytes have been copied when this returns its promise.
 */
export async function frameHash(bytes: FramePixels): Promise<string> {
  const digests: Promise<ArrayBuffer>[] = [];
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES)
    digests.push(crypto.subtle.digest('SHA-256', bytes.subarray(at, Math.min(at + CHUNK_BYTES, bytes.length))));
  const joined = new Uint8Array(digests.length * 32);
  (await Promise.all(digests)).forEach((digest, index) => {
    joined.set(new Uint8Array(digest), index * 32);
  });
  return sha256Hex(joined);
}

/** 64 lower-case hex digits. */
export async function sha256Hex(bytes: FramePixels): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
