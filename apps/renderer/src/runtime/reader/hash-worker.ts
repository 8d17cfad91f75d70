import { unpremultiply } from '@cer/sketch-engine';
import { frameHash } from './frame-hash.js';
import { answerInOrder } from './worker-line.js';

export interface HashOrder {
  /** RGBA bytes of one frame, premultiplied. */
  readonly buffer: ArrayBuffer;
  /** Every pixel is known to have full alpha. */
  readonly opaque: boolean;
  /** Per alpha and premultiplied value: the value; by default as the portable engine divides. */
  readonly quotients?: Uint8Array;
}

export interface HashedFrame {
  /** The same memory, transferred back: RGBA bytes, no longer premultiplied. */
  readonly buffer: ArrayBuffer;
  /** 64 hex digits. */
  readonly hash: string;
}

/** Hashes one frame after another. */
answerInOrder(async ({ data: { buffer, opaque, quotients } }: MessageEvent<HashOrder>): Promise<HashedFrame> => {
  const pixels = new Uint8Array(buffer);
  if (!opaque) unpremultiply(pixels, quotients);
  return { buffer, hash: await frameHash(pixels) };
});
