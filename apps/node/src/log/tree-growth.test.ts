import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { frontierOf, leafHash, rootOfFrontier, treeOfLeafHashes } from '@cer/tlog/merkle';
import { TILE_WIDTH } from '@cer/tlog/tiles';
import { growTree, type GrowingTree } from './tree-growth.js';

const LEAVES = Array.from({ length: 3 * TILE_WIDTH + 7 }, (_, at) => leafHash(Uint8Array.of(at >> 8, at & 255)));

/** The tiles of the first leaves: the full ones of level 0, and the roots of these. */
function tilesOf(leaves: readonly Uint8Array[]): ReadonlyMap<string, Buffer> {
  const full = Array.from({ length: Math.floor(leaves.length / TILE_WIDTH) }, (_, index) =>
    leaves.slice(index * TILE_WIDTH, (index + 1) * TILE_WIDTH),
  );
  const tiles = full.map((hashes, index) => [`0/${String(index)}`, Buffer.concat(hashes)] as const);
  const roots = full.map((hashes) => treeOfLeafHashes(hashes).root);
  return new Map(roots.length === 0 ? [] : [...tiles, ['1/0', Buffer.concat(roots)] as const]);
}

it('grows to the same tree in steps of any size', async () => {
  const steps = fc.array(fc.integer({ min: 0, max: TILE_WIDTH + 70 }), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(steps, async (counts) => {
      const stored = new Map<string, Buffer>();
      let tree: GrowingTree = { treeId: -1, frontier: { size: 0, peaks: [] }, tail: [] };
      for (const count of counts) {
        const { size } = tree.frontier;
        const { tiles, ...grown } = await growTree(
          tree,
          LEAVES.slice(size, size + count),
          async (_, level, index) => stored.get(`${String(level)}/${String(index)}`) ?? null,
        );
        for (const { level, index, data } of tiles) stored.set(`${String(level)}/${String(index)}`, Buffer.from(data));
        tree = grown;
      }
      const { size, peaks } = tree.frontier;
      expect(rootOfFrontier(frontierOf(size, peaks))).toEqual(treeOfLeafHashes(LEAVES.slice(0, size)).root);
      expect(stored).toEqual(tilesOf(LEAVES.slice(0, size)));
    }),
    { numRuns: 50 },
  );
});
