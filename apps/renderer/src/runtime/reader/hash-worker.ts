import { unpremultiply } from '@cer/sketch-engine';
import { frameHash } from './frame-hash.js';
import { answerInOrder } from './worker-line.js';

/** RGBA bytes of one frame. */
export interface HashOrder {
  readonly buffer: ArrayBuffer;
  /** As the portable engine draws them; they are divided by their alpha before they are hashed. */
  readonly premultiplied: boolean;
}

export interface HashedFrame {
  /** The same memory, transferred back: RGBA bytes, no longer premultiplied. */
  readonly buffer: ArrayBuffer;
  /** 64 hex digits. */
  readonly hash: string;
}

/** Hashes one frame after another. */
answerInOrder(async ({ data: { buffer, premultiplied } }: MessageEvent<HashOrder>): Promise<HashedFrame> => {
  const pixels = new Uint8Array(buffer);
  if (premultiplied) unpremultiply(pixels);
  return { buffer, hash: await frameHash(pixels) };
});
