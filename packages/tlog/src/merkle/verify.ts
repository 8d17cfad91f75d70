import { EMPTY_ROOT, equalBytes, HASH_BYTES, nodeHash } from './hash.js';

/** The place of a leaf in a tree, and the hashes that lead to the root. */
export interface Inclusion {
  readonly leafIndex: number;
  readonly treeSize: number;
  readonly path: readonly Uint8Array[];
}

/**
 * Whether the path leads from this leaf hash to this root, with exactly the hashes that the place needs.
 * The path alone does not fix the size: the caller takes it from a signed checkpoint.
 * @see RFC 9162, 2.1.3.2
 */
export function verifyInclusion(leaf: Uint8Array, { leafIndex, treeSize, path }: Inclusion, root: Uint8Array): boolean {
  if (!isSize(treeSize) || !isSize(leafIndex) || leafIndex >= treeSize) return false;
  let node = leafIndex;
  let last = treeSize - 1;
  let hash = leaf;
  for (const sibling of path) {
    if (last === 0 || sibling.length !== HASH_BYTES) return false;
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
  return last === 0 && equalBytes(hash, root);
}

/** Two heads of one log, the smaller first, and the hashes that join them. */
export interface Consistency {
  readonly size1: number;
  readonly size2: number;
  readonly root1: Uint8Array;
  readonly root2: Uint8Array;
  readonly path: readonly Uint8Array[];
}

/**
 * Whether the tree of the first head is the beginning of the tree of the second one. From an empty tree, or between
 * equal heads, the path must be empty.
 * @see RFC 9162, 2.1.4.2
 */
export function verifyConsistency({ size1, size2, root1, root2, path }: Consistency): boolean {
  if (!isSize(size1) || !isSize(size2) || size1 > size2) return false;
  if (path.some(({ length }) => length !== HASH_BYTES)) return false;
  if (size1 === 0 && !equalBytes(root1, EMPTY_ROOT)) return false;
  if (size1 === size2 && !equalBytes(root1, root2)) return false;
  if (size1 === 0 || size1 === size2) return path.length === 0;
  // A complete first tree is its own first hash.
  const hashes = isPowerOfTwo(size1) ? [root1, ...path] : path;
  const [first, ...rest] = hashes;
  if (first === undefined) return false;
  let node = size1 - 1;
  let last = size2 - 1;
  while (node % 2 === 1) {
    node = Math.floor(node / 2);
    last = Math.floor(last / 2);
  }
  let hash1 = first;
  let hash2 = first;
  for (const sibling of rest) {
    if (last === 0) return false;
    if (node % 2 === 1 || node === last) {
      hash1 = nodeHash(sibling, hash1);
      hash2 = nodeHash(sibling, hash2);
      while (node % 2 === 0 && node !== 0) {
        node = Math.floor(node / 2);
        last = Math.floor(last / 2);
      }
    } else {
      hash2 = nodeHash(hash2, sibling);
    }
    node = Math.floor(node / 2);
    last = Math.floor(last / 2);
  }
  return last === 0 && equalBytes(hash1, root1) && equalBytes(hash2, root2);
}

function isSize(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

function isPowerOfTwo(size: number): boolean {
  return Number.isInteger(Math.log2(size));
}
