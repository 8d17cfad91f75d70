import { sha256 } from '@cer/keys';
import { isSameBytes } from './der.js';

// The Merkle tree of RFC 6962, 2.1: leaves and nodes are hashed with different prefixes, so that a node cannot be
// passed off as a leaf.

/** SHA-256 of 0x00 and the leaf's input. */
export function leafHash(input: Uint8Array): Uint8Array {
  return hashOf(0x00, input);
}

function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  return hashOf(0x01, left, right);
}

function hashOf(prefix: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(1 + parts.reduce((length, part) => length + part.length, 0));
  bytes[0] = prefix;
  let at = 1;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return sha256(bytes);
}

/** A tree over ordered leaf inputs. */
export interface MerkleTree {
  readonly size: number;
  /** 32 bytes. */
  readonly root: Uint8Array;
  /**
   * The sibling hashes from leaf to root; empty for a tree of one leaf.
   * @throws RangeError for an index outside the tree
   */
  pathOf(leafIndex: number): readonly Uint8Array[];
}

/**
 * Builds the tree and keeps every level, so that a path takes one step per level.
 * @param inputs at least one
 * @throws RangeError without leaves
 */
export function buildMerkleTree(inputs: readonly Uint8Array[]): MerkleTree {
  const levels: (readonly Uint8Array[])[] = [inputs.map(leafHash)];
  for (let level = levels[0] ?? []; level.length > 1;) {
    const above: Uint8Array[] = [];
    for (let at = 0; at < level.length; at += 2) {
      const [left, right] = [level[at], level[at + 1]];
      // A node without a sibling moves up unchanged, as in RFC 6962 for sizes that are not powers of two.
      if (left !== undefined) above.push(right === undefined ? left : nodeHash(left, right));
    }
    levels.push(above);
    level = above;
  }
  const root = levels.at(-1)?.[0];
  if (root === undefined) throw new RangeError('a tree has at least one leaf');
  return {
    size: inputs.length,
    root,
    pathOf: (leafIndex) => {
      if (!Number.isInteger(leafIndex) || leafIndex < 0 || leafIndex >= inputs.length) {
        throw new RangeError('leafIndex: is outside this tree');
      }
      return levels.flatMap((level, height) => {
        const sibling = level[Math.floor(leafIndex / 2 ** height) ^ 1];
        return sibling === undefined ? [] : [sibling];
      });
    },
  };
}

/** The position of a leaf in its tree. */
export interface Inclusion {
  readonly treeSize: number;
  readonly leafIndex: number;
  readonly path: readonly Uint8Array[];
}

/**
 * Whether the path leads from this leaf input to this root with exactly the required number of hashes. Algorithm of RFC
 * 9162, 2.1.3.2.
 */
export function isIncluded(input: Uint8Array, { treeSize, leafIndex, path }: Inclusion, root: Uint8Array): boolean {
  if (!Number.isSafeInteger(treeSize) || !Number.isSafeInteger(leafIndex)) return false;
  if (leafIndex < 0 || leafIndex >= treeSize) return false;
  let node = leafIndex;
  let last = treeSize - 1;
  let hash = leafHash(input);
  for (const sibling of path) {
    if (last === 0 || sibling.length !== 32) return false;
    if (node % 2 === 1 || node === last) {
      hash = nodeHash(sibling, hash);
      while (node % 2 === 0 && node !== 0) {
        node = Math.floor(node / 2);
        last = Math.floor(last / 2);
      }
    } else {
      hash = nodeHash(hash, sibling);
    }
    node = Math.floor(node / 2);
    last = Math.floor(last / 2);
  }
  return last === 0 && isSameBytes(hash, root);
}
