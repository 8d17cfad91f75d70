import { expect, it } from '@jest/globals';
import { leafHash } from './hash.js';
import { inclusionSteps } from './path-steps.js';
import { buildMerkleTree } from './tree.js';

it("ends at the root from every small tree's leaves", () => {
  for (let size = 1; size <= 40; size++) {
    const entries = Array.from({ length: size }, (_, at) => Uint8Array.of(at));
    const tree = buildMerkleTree(entries);
    for (const [leafIndex, entry] of entries.entries()) {
      const inclusion = { leafIndex, treeSize: size, path: tree.inclusionPath(leafIndex) };
      const steps = inclusionSteps(leafHash(entry), inclusion, tree.root);
      expect(steps?.at(-1)?.result ?? leafHash(entry)).toEqual(tree.root);
      expect(inclusionSteps(leafHash(Uint8Array.of(99)), inclusion, tree.root)).toBeNull();
    }
  }
});
