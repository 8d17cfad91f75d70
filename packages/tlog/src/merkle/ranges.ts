import { EMPTY_ROOT, nodeHash } from './hash.js';

/** The leaves from `start` up to and without `end`. */
export type LeafRange = readonly [start: number, end: number];

/** The ranges whose roots lead from a leaf to the root, leaf first. @see RFC 6962, 2.1.1 */
export function inclusionRanges(leafIndex: number, treeSize: number): readonly LeafRange[] {
  const ranges: LeafRange[] = [];
  let [start, end]: LeafRange = [0, treeSize];
  while (end - start > 1) {
    const split = start + largestPowerBelow(end - start);
    if (leafIndex < split) {
      ranges.push([split, end]);
      end = split;
    } else {
      ranges.push([start, split]);
      start = split;
    }
  }
  return ranges.reverse();
}

/**
 * The ranges whose roots join a tree of `from` leaves to one of `to`; none from the empty tree or to the same size.
 * @see RFC 6962, 2.1.2
 */
export function consistencyRanges(from: number, to: number): readonly LeafRange[] {
  if (from === 0) return [];
  const ranges: LeafRange[] = [];
  let [start, end]: LeafRange = [0, to];
  while (from !== end) {
    const split = start + largestPowerBelow(end - start);
    if (from <= split) {
      ranges.push([split, end]);
      end = split;
    } else {
      ranges.push([start, split]);
      start = split;
    }
  }
  // The rest is a complete subtree at the end of the first tree; the verifier knows it when it is the whole tree.
  if (start > 0) ranges.push([start, end]);
  return ranges.reverse();
}

/** A complete subtree: the `index`-th of `2^height` leaves. */
export interface Subtree {
  readonly height: number;
  readonly index: number;
}

/**
 * The complete subtrees of a range, from left to right; they fold to its root.
 * @param range one that RFC 6962 splits a tree into: its start is a multiple of its first subtree
 */
export function subtreesOf([start, end]: LeafRange): readonly Subtree[] {
  const subtrees: Subtree[] = [];
  for (let at = start; at < end;) {
    const count = 2 ** Math.floor(Math.log2(end - at));
    subtrees.push({ height: Math.log2(count), index: at / count });
    at += count;
  }
  return subtrees;
}

/** The root over neighbouring subtrees, the largest first. */
export function foldPeaks(peaks: readonly Uint8Array[]): Uint8Array {
  const smallest = peaks.at(-1);
  if (smallest === undefined) return EMPTY_ROOT;
  return peaks.slice(0, -1).reduceRight((hash, peak) => nodeHash(peak, hash), smallest);
}

/** @returns the size @throws RangeError unless it is an integer from 0 to `largest` */
export function assertSize(size: number, largest: number): number {
  if (!Number.isSafeInteger(size) || size < 0 || size > largest) throw new RangeError('size: is outside the tree');
  return size;
}

/** @throws RangeError for a leaf outside the tree */
export function assertLeaf(leafIndex: number, treeSize: number): void {
  if (!Number.isSafeInteger(leafIndex) || leafIndex < 0 || leafIndex >= treeSize) {
    throw new RangeError('leafIndex: is outside the tree');
  }
}

/** The largest power of two below `count`, for a count of at least 2: where RFC 6962 splits a list. */
function largestPowerBelow(count: number): number {
  return 2 ** (Math.ceil(Math.log2(count)) - 1);
}
