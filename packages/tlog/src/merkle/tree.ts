import { leafHash, nodeHash } from './hash.js';
import {
  assertLeaf,
  assertSize,
  consistencyRanges,
  foldPeaks,
  inclusionRanges,
  subtreesOf,
  type LeafRange,
} from './ranges.js';

/** A tree held in memory, which answers every proof about itself. */
export interface MerkleTree {
  readonly size: number;
  /** 32 bytes; of an empty tree SHA-256 of nothing. */
  readonly root: Uint8Array;
  /** The root that the tree had with its first `size` leaves. @throws RangeError for a size beyond the tree */
  rootAt(size: number): Uint8Array;
  /**
   * The sibling hashes from leaf to root; empty for a tree of one.
   * @param treeSize the size to prove inclusion in; by default the whole tree
   * @throws RangeError for a leaf outside that tree
   */
  inclusionPath(leafIndex: number, treeSize?: number): readonly Uint8Array[];
  /**
   * The hashes that prove the first `from` leaves to be the beginning of the first `to` leaves.
   * @throws RangeError unless `from <= to <= size`
   */
  consistencyPath(from: number, to?: number): readonly Uint8Array[];
}

/** Builds the tree over entries in their order. */
export function buildMerkleTree(entries: readonly Uint8Array[]): MerkleTree {
  return treeOfLeafHashes(entries.map(leafHash));
}

/**
 * Builds the tree over leaf hashes in their order. Every level is kept, so a proof costs one step for each level.
 * @see RFC 6962, 2.1
 */
export function treeOfLeafHashes(leaves: readonly Uint8Array[]): MerkleTree {
  const levels = levelsOf(leaves);
  const size = leaves.length;
  const rootOf = (range: LeafRange): Uint8Array =>
    foldPeaks(
      subtreesOf(range).map(({ height, index }) => {
        const hash = levels[height]?.[index];
        if (hash === undefined) throw new RangeError('range: is outside the tree');
        return hash;
      }),
    );
  return {
    size,
    root: rootOf([0, size]),
    rootAt: (at) => rootOf([0, assertSize(at, size)]),
    inclusionPath(leafIndex, treeSize = size) {
      assertLeaf(leafIndex, assertSize(treeSize, size));
      return inclusionRanges(leafIndex, treeSize).map(rootOf);
    },
    consistencyPath(from, to = size) {
      assertSize(from, assertSize(to, size));
      return consistencyRanges(from, to).map(rootOf);
    },
  };
}

/** Roots of all complete subtrees by height: `levels[h][i]` covers `2^h` leaves from `i * 2^h`. */
function levelsOf(leaves: readonly Uint8Array[]): readonly (readonly Uint8Array[])[] {
  const levels = [leaves];
  for (let level = leaves; level.length > 1;) {
    const above: Uint8Array[] = [];
    for (let at = 0; at + 1 < level.length; at += 2) {
      const [left, right] = [level[at], level[at + 1]];
      if (left !== undefined && right !== undefined) above.push(nodeHash(left, right));
    }
    levels.push(above);
    level = above;
  }
  return levels;
}
