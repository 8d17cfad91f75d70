import { describe, expect, it } from '@jest/globals';
import { appendLeaves, EMPTY_FRONTIER, frontierOf, rootOfFrontier } from './frontier.js';
import { EMPTY_ROOT, equalBytes, leafHash, nodeHash } from './hash.js';
import { inclusionSteps } from './path-steps.js';
import { treeOfLeafHashes } from './tree.js';
import { verifyConsistency, verifyInclusion, type Consistency } from './verify.js';

const SIZE = 12;
const leaves = Array.from({ length: SIZE }, (_, at) => leafHash(Uint8Array.of(at)));
const tree = treeOfLeafHashes(leaves);
const leafAt = (at: number): Uint8Array => leaves[at] ?? new Uint8Array(0);
const [l0, l1, l2, l3] = [leafAt(0), leafAt(1), leafAt(2), leafAt(3)];
const root2 = nodeHash(l0, l1);
const root3 = nodeHash(root2, l2);
const root4 = nodeHash(root2, nodeHash(l2, l3));
const stray = leafHash(Uint8Array.of(255));

/** The path with one hash changed, dropped, doubled or moved, and with one more. */
function changedPaths(path: readonly Uint8Array[]): readonly (readonly Uint8Array[])[] {
  return [
    ...path.map((_, at) => path.with(at, stray)),
    ...path.map((_, at) => path.toSpliced(at, 1)),
    ...path.map((hash, at) => path.toSpliced(at, 0, hash)),
    ...path.slice(1).map((hash, at) => path.with(at, hash).with(at + 1, path[at] ?? hash)),
    [...path, stray],
    [stray, ...path],
  ].filter((changed) => changed.length !== path.length || changed.some((hash, at) => hash !== path[at]));
}

describe('a proof of inclusion', () => {
  it('holds for one leaf, place, size and root only', () => {
    for (let treeSize = 1; treeSize <= SIZE; treeSize++) {
      for (let leafIndex = 0; leafIndex < treeSize; leafIndex++) {
        const path = tree.inclusionPath(leafIndex, treeSize);
        const root = tree.rootAt(treeSize);
        const holds = (changed: object, hash = leafAt(leafIndex), to = root): boolean =>
          verifyInclusion(hash, { leafIndex, treeSize, path, ...changed }, to);
        expect(holds({})).toBe(true);
        expect(holds({}, stray)).toBe(false);
        expect(holds({}, leafAt(leafIndex), stray)).toBe(false);
        for (const changed of changedPaths(path)) expect(holds({ path: changed })).toBe(false);
        for (let other = 0; other < SIZE; other++) {
          if (other !== leafIndex) expect(holds({ leafIndex: other })).toBe(false);
        }
      }
    }
  });

  it.each([
    ['a place behind the last', { leafIndex: 2, treeSize: 2 }],
    ['a negative place', { leafIndex: -1, treeSize: 2 }],
    ['a place that is not a number', { leafIndex: NaN, treeSize: 2 }],
    ['half a place', { leafIndex: 0.5, treeSize: 2 }],
    ['a fraction of a size', { leafIndex: 0, treeSize: 2.5 }],
    ['an unsafe size', { leafIndex: 0, treeSize: 2 ** 53 }],
  ])('does not hold for %s', (_, place) => {
    expect(verifyInclusion(l0, { leafIndex: 0, treeSize: 2, path: [l1] }, root2)).toBe(true);
    expect(verifyInclusion(l0, { ...place, path: [l1] }, root2)).toBe(false);
  });

  it('fails with a path too long or too short', () => {
    const place = { leafIndex: 0, treeSize: 2 };
    expect(verifyInclusion(l0, { ...place, path: [l1, stray] }, nodeHash(stray, root2))).toBe(false);
    expect(verifyInclusion(l0, { ...place, path: [l1, stray] }, nodeHash(root2, stray))).toBe(false);
    expect(verifyInclusion(l0, { leafIndex: 0, treeSize: 4, path: [l1] }, root2)).toBe(false);
  });

  it('fails with the same bytes split into other hashes', () => {
    const place = { leafIndex: 0, treeSize: 2 };
    const [head, tail] = [l0.subarray(0, 31), Uint8Array.from([...l0.subarray(31), ...l1])];
    expect(verifyInclusion(head, { ...place, path: [tail] }, root2)).toBe(false);
  });

  it('gives its steps only where it holds', () => {
    const place = { leafIndex: 2, treeSize: 3 };
    expect(inclusionSteps(l2, { ...place, path: [root2] }, root3)).toEqual([
      { side: 'left', neighbour: root2, result: root3 },
    ]);
    expect(inclusionSteps(l0, { leafIndex: 0, treeSize: 4, path: [l1, nodeHash(l2, l3)] }, root4)).toEqual([
      { side: 'right', neighbour: l1, result: root2 },
      { side: 'right', neighbour: nodeHash(l2, l3), result: root4 },
    ]);
    expect(inclusionSteps(l2, { ...place, path: [root2] }, root4)).toBeNull();
  });
});

describe('a proof of consistency', () => {
  it('holds for two roots and sizes only', () => {
    for (let size2 = 0; size2 <= SIZE; size2++) {
      for (let size1 = 0; size1 <= size2; size1++) {
        const path = tree.consistencyPath(size1, size2);
        const proof: Consistency = { size1, size2, root1: tree.rootAt(size1), root2: tree.rootAt(size2), path };
        expect(verifyConsistency(proof)).toBe(true);
        expect(verifyConsistency({ ...proof, root1: stray })).toBe(false);
        // Every tree begins with the empty one, which has one root.
        expect(verifyConsistency({ ...proof, root2: stray })).toBe(size1 === 0 && size2 > 0);
        for (const changed of changedPaths(path)) expect(verifyConsistency({ ...proof, path: changed })).toBe(false);
        if (size1 < size2) {
          const swapped = { size1: size2, size2: size1, root1: proof.root2, root2: proof.root1 };
          expect(verifyConsistency({ ...proof, ...swapped })).toBe(false);
        }
      }
    }
  });

  const join = { size1: 1, size2: 2, root1: l0, root2, path: [l1] };
  it.each<[string, Partial<Consistency>]>([
    ['sizes that are not numbers', { size1: NaN, path: [l0, l1] }],
    ['a negative size', { size1: -1, path: [l0, l1] }],
    ['half a size', { size1: 0.5, path: [l1] }],
    ['a fraction of a size', { size2: 2.5 }],
    ['an unsafe size', { size2: 2 ** 53 }],
    ['an endless size', { size2: Infinity }],
    ['a larger first size', { size1: 3, path: [l0, l1] }],
    ['no path', { size1: 3, size2: 4, root1: root3, root2: root4, path: [] }],
    ['a path from the empty tree', { size1: 0, root1: EMPTY_ROOT }],
    ['a path between equal trees', { size1: 2, root1: root2 }],
    ['a path that ends below the root', { size2: 4 }],
    ['a second root of a longer path', { path: [l1, stray], root2: nodeHash(root2, stray) }],
    [
      'roots of a longer path',
      {
        ...{ size1: 3, size2: 4, path: [l2, l3, root2, stray] },
        ...{ root1: nodeHash(stray, root3), root2: nodeHash(stray, root4) },
      },
    ],
    [
      'the same bytes in other hashes',
      { root1: l0.subarray(0, 31), path: [Uint8Array.from([...l0.subarray(31), ...l1])] },
    ],
  ])('does not hold with %s', (_, changed) => {
    expect(verifyConsistency(join)).toBe(true);
    expect(verifyConsistency({ ...join, ...changed })).toBe(false);
  });
});

describe('a tree', () => {
  const outside: unknown = expect.objectContaining({
    name: 'RangeError',
    message: expect.stringMatching(/is outside the tree$/),
  });

  it('has RFC 6962 roots', () => {
    expect(tree.size).toBe(SIZE);
    expect(tree.root).toEqual(tree.rootAt(SIZE));
    expect([0, 1, 2, 3, 4].map((size) => tree.rootAt(size))).toEqual([EMPTY_ROOT, l0, root2, root3, root4]);
    expect(treeOfLeafHashes([]).root).toEqual(EMPTY_ROOT);
  });

  it.each([-1, SIZE + 1, 1.5, NaN])('has nothing at a size of %p', (size) => {
    expect(() => tree.rootAt(size)).toThrow(outside);
    expect(() => tree.inclusionPath(0, size)).toThrow(outside);
    expect(() => tree.consistencyPath(0, size)).toThrow(outside);
    expect(() => tree.consistencyPath(size, SIZE)).toThrow(outside);
  });

  it.each([-1, 4, 0.5, NaN])('has no path of the leaf %p', (leaf) => {
    expect(() => tree.inclusionPath(leaf, 4)).toThrow(outside);
  });

  it('grows by its right edge', () => {
    let frontier = EMPTY_FRONTIER;
    for (let size = 0; size <= SIZE; size++) {
      expect(frontier.size).toBe(size);
      expect(rootOfFrontier(frontier)).toEqual(tree.rootAt(size));
      expect(frontierOf(size, frontier.peaks)).toEqual(frontier);
      expect(rootOfFrontier(appendLeaves(frontier, leaves.slice(size)))).toEqual(tree.root);
      frontier = appendLeaves(frontier, leaves.slice(size, size + 1));
    }
  });

  it.each<[number, readonly Uint8Array[], string]>([
    [-1, [], 'size: must be a safe integer from 0'],
    [1.5, [l0], 'size: must be a safe integer from 0'],
    [2 ** 53, [l0], 'size: must be a safe integer from 0'],
    [3, [root2], 'peaks: must be one hash for each set bit of the size'],
    [2, [root2, l2], 'peaks: must be one hash for each set bit of the size'],
    [3, [root2, l2.subarray(1)], 'peaks: must be one hash for each set bit of the size'],
  ])('has no edge of size %d with other peaks, %#', (size, peaks, message) => {
    expect(() => frontierOf(size, peaks)).toThrow(expect.objectContaining({ name: 'RangeError', message }));
  });
});

it('compares bytes by length and value', () => {
  const bytes = Uint8Array.of(1, 2, 3);
  expect(equalBytes(bytes, Uint8Array.of(1, 2, 3))).toBe(true);
  expect(equalBytes(bytes, Uint8Array.of(1, 2, 4))).toBe(false);
  expect(equalBytes(bytes, Uint8Array.of(1, 2))).toBe(false);
  expect(equalBytes(bytes, Uint8Array.of(1, 2, 3, 4))).toBe(false);
});
