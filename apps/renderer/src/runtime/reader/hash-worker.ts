import { unpremultiply } from '@cer/sketch-engine';
import { frameHash } from './frame-hash.js';
import { answerInOrder } from './worker-line.js';

export interface HashedFrame {
  /** The same memory, transferred back: RGBA bytes, no longer premultiplied. */
  readonly buffer: ArrayBuffer;
  /** 64 hex digits. */
  readonly hash: string;
}

/** Hashes one frame of the portable engine after another. */
answerInOrder(async ({ data: buffer }: MessageEvent<ArrayBuffer>): Promise<HashedFrame> => {
  const pixels = new Uint8Array(buffer);
  unpremultiply(pixels);
  return { buffer, hash: await frameHash(pixels) };
});
