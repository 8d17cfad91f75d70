export { visibleMessage } from './run/visible-message.js';

/** The one size a certified canvas has. */
export const CANVAS_WIDTH = 1950;
export const CANVAS_HEIGHT = 2400;
export const FRAME_BYTES = CANVAS_WIDTH * CANVAS_HEIGHT * 4;

/** The scheme of frame and animation hashes: a frame is hashed in chunks. */
export const HASH_SCHEME = 'rgba-chunk512k-sha256-v1';
export const CHUNK_BYTES = 512 * 1024;

/** The address of a sketch's page: a secure context, and a name that can never be resolved. */
export const SKETCH_URL = 'https://sketch.invalid/';

export const VAR_COUNT = 10;

/**
 * A text seed as the 32-bit number that `random()` and `noise()` start from.
 * @see docs/spec.md, "Seeds"
 */
export function seedNumber(seed: string): number {
  let sum = 0;
  for (let i = 0; i < seed.length; i++) sum = (Math.imul(sum, 31) + seed.charCodeAt(i)) >>> 0;
  return sum;
}
