import { nodeHash } from './hash.js';
import { verifyInclusion, type Inclusion } from './verify.js';

/** One step from a leaf towards the root. */
export interface PathStep {
  /** The side of the neighbour. */
  readonly side: 'left' | 'right';
  readonly neighbour: Uint8Array;
  /** The hash of both together. */
  readonly result: Uint8Array;
}

/** The steps of a proof that holds, from leaf to root; null for any other. */
export function inclusionSteps(leaf: Uint8Array, inclusion: Inclusion, root: Uint8Array): readonly PathStep[] | null {
  if (!verifyInclusion(leaf, inclusion, root)) return null;
  let node = inclusion.leafIndex;
  let last = inclusion.treeSize - 1;
  let hash = leaf;
  return inclusion.path.map((neighbour) => {
    // At the right edge of a tree whose size is not a power of two, levels without a neighbour are passed over.
    while (node % 2 === 0 && node === last) {
      node = Math.floor(node / 2);
      last = Math.floor(last / 2);
    }
    const side = node % 2 === 1 ? 'left' : 'right';
    hash = side === 'left' ? nodeHash(neighbour, hash) : nodeHash(hash, neighbour);
    node = Math.floor(node / 2);
    last = Math.floor(last / 2);
    return { side, neighbour, result: hash };
  });
}
