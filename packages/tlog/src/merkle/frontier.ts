import { HASH_BYTES, nodeHash } from './hash.js';
import { foldPeaks } from './ranges.js';

/**
 * The right edge of a growing tree: the roots of its complete subtrees, largest first, one for each set bit of the size.
 * It is all that appending needs, and it folds to the root of the tree.
 */
export interface Frontier {
  readonly size: number;
  /** 32 bytes each, the largest subtree first. */
  readonly peaks: readonly Uint8Array[];
}

export const EMPTY_FRONTIER: Frontier = { size: 0, peaks: [] };

/**
 * Received peaks, with the size that they belong to.
 * @throws RangeError when their number or length does not fit the size
 */
export function frontierOf(size: number, peaks: readonly Uint8Array[]): Frontier {
  if (!Number.isSafeInteger(size) || size < 0) throw new RangeError('size: must be a safe integer from 0');
  if (peaks.length !== setBitsOf(size) || peaks.some(({ length }) => length !== HASH_BYTES)) {
    throw new RangeError('peaks: must be one hash for each set bit of the size');
  }
  return { size, peaks };
}

/** The frontier with these leaf hashes appended in their order. */
export function appendLeaves({ size, peaks }: Frontier, leaves: readonly Uint8Array[]): Frontier {
  const grown = [...peaks];
  let count = size;
  for (const leaf of leaves) {
    let hash = leaf;
    // Each trailing one of the size is a complete subtree of the same height, which the new one joins.
    for (let left = count; left % 2 === 1; left = Math.floor(left / 2)) {
      const sibling = grown.pop();
      if (sibling !== undefined) hash = nodeHash(sibling, hash);
    }
    grown.push(hash);
    count++;
  }
  return { size: count, peaks: grown };
}

/** The root of the tree. */
export function rootOfFrontier({ peaks }: Frontier): Uint8Array {
  return foldPeaks(peaks);
}

function setBitsOf(size: number): number {
  let bits = 0;
  for (let left = size; left > 0; left = Math.floor(left / 2)) bits += left % 2;
  return bits;
}
