import { deletionDigest } from '@cer/tlog/leaf';
import type { LogStore, NewLeaf, OpenDeletion } from '../store/index.js';
import { newSeed } from './new-leaf.js';

const DELETIONS_A_TURN = 100;
/** Ranges of numbers in one leaf. */
const RANGES_A_LEAF = 100;

type Range = readonly [first: number, last: number];

/**
 * Stores a leaf for each deletion whose leaves all have their numbers, one a tenant, more with many ranges.
 * @returns how many leaves were stored
 */
export async function addDeletionLeaves(store: LogStore, logId: number): Promise<number> {
  let added = 0;
  for (const deletion of await store.openDeletions(DELETIONS_A_TURN)) {
    if (!deletion.isPlaced) continue;
    const leaves = leavesOf(deletion, logId);
    if (await store.addDeletion(deletion.auditSeq, deletion.leaves.length, leaves)) added += leaves.length;
  }
  return added;
}

function leavesOf({ auditHash, at, leaves }: OpenDeletion, logId: number) {
  const numbers = new Map<string, number[]>();
  for (const leaf of leaves) {
    // A closed log gets no further leaves.
    if (leaf.logId !== logId) continue;
    numbers.set(leaf.tenantId, [...(numbers.get(leaf.tenantId) ?? []), leaf.number]);
  }
  return [...numbers].flatMap(([tenantId, own]) =>
    chunksOf(rangesOf(own)).map((deletes) => ({ tenantId, leaf: deletionLeaf(auditHash, at, deletes) })),
  );
}

function deletionLeaf(auditHash: string, at: string, deletes: readonly Range[]): NewLeaf {
  return {
    source: 'deletion',
    labelJson: JSON.stringify({ appId: null, at, bundleType: null, deletes, kind: 'deletion' }),
    digest: deletionDigest(auditHash, deletes),
    seed: newSeed(),
  };
}

/** Ascending ranges of ascending numbers. */
function rangesOf(numbers: readonly number[]): readonly Range[] {
  const ranges: [number, number][] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last?.[1] === number - 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges;
}

function chunksOf(ranges: readonly Range[]): readonly (readonly Range[])[] {
  const count = Math.ceil(ranges.length / RANGES_A_LEAF);
  return Array.from({ length: count }, (_, at) => ranges.slice(at * RANGES_A_LEAF, (at + 1) * RANGES_A_LEAF));
}
