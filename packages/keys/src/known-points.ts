import { BoundedCache } from './bounded-cache.js';

/** Above the most entries of a key history, so that a second pass over the largest one checks no key again. */
const KNOWN_POINTS = 16_384;

/**
 * Checks each encoded point once: a key history names every key several times, and a key set is read for each
 * verification.
 * @param check pure; takes 32 bytes
 * @param limit answers that are remembered
 */
export function checkOnce(check: (encoding: Uint8Array) => boolean, limit = KNOWN_POINTS): typeof check {
  const answers = new BoundedCache<boolean>(limit);
  return (encoding) => answers.getOrMake(encoding.join(), () => check(encoding));
}
