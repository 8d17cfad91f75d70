import { setImmediate as nextTurn } from 'node:timers/promises';
import { appendLeaves, EMPTY_FRONTIER, frontierOf, treeOfLeafHashes, type Frontier } from '@cer/tlog/merkle';
import { TILE_WIDTH } from '@cer/tlog/tiles';
import type { StoredFrontier, TileRow } from '../store/index.js';

const HASH_BYTES = 32;
/** Leaves between two pauses for other requests. */
const LEAVES_A_TURN = 64;

/** A tree that grows at its right edge. */
export interface GrowingTree {
  readonly treeId: number;
  readonly frontier: StoredFrontier;
  /** Leaf hashes after the last full tile. */
  readonly tail: readonly Uint8Array[];
}

export interface GrownTree extends GrowingTree {
  readonly tiles: readonly TileRow[];
}

/** How many leaves a tree has after its last full tile. */
export function tailStart(size: number): number {
  return size - (size % TILE_WIDTH);
}

/**
 * Appends leaves: the new frontier, and the tiles that became full or wider.
 * @param readTile the stored hashes of a tile above level 0
 */
export async function growTree(
  { treeId, frontier, tail }: GrowingTree,
  leaves: readonly Uint8Array[],
  readTile: (treeId: number, level: number, index: number) => Promise<Uint8Array | null>,
): Promise<GrownTree> {
  const { tileRoots, ...grown } = await appended(frontierOf(frontier.size, frontier.peaks), leaves);
  const hashes = [...tail, ...leaves];
  const tiles: TileRow[] = [];
  let roots = tileRoots;
  const first = Math.floor(frontier.size / TILE_WIDTH);
  for (let index = first; hashes.length >= TILE_WIDTH; index++) {
    tiles.push({ treeId, level: 0, index, data: joined(hashes.splice(0, TILE_WIDTH)) });
  }
  let start = first;
  for (let level = 1; roots.length > 0; level++) {
    const above: Uint8Array[] = [];
    const aboveStart = Math.floor(start / TILE_WIDTH);
    for (let index = aboveStart; roots.length > 0; index++) {
      const kept = start % TILE_WIDTH;
      const before = kept === 0 ? [] : split((await readTile(treeId, level, index)) ?? new Uint8Array(0), kept);
      const added = roots.slice(0, TILE_WIDTH - kept);
      roots = roots.slice(added.length);
      start += added.length;
      const all = [...before, ...added];
      tiles.push({ treeId, level, index, data: joined(all) });
      if (all.length === TILE_WIDTH) above.push(treeOfLeafHashes(all).root);
    }
    roots = above;
    start = aboveStart;
  }
  return { treeId, frontier: grown, tail: hashes, tiles };
}

/** Appends leaves. @returns the new frontier, and the roots of the tiles of level 0 that became full */
async function appended(
  { size, peaks }: Frontier,
  leaves: readonly Uint8Array[],
): Promise<Frontier & { readonly tileRoots: readonly Uint8Array[] }> {
  const tileRoots: Uint8Array[] = [];
  // The right edge is that of the tree of full tiles, followed by that of the tile which grows.
  const inTile = size % TILE_WIDTH;
  const tilePeaks = setBitsOf(inTile);
  let full = frontierOf((size - inTile) / TILE_WIDTH, peaks.slice(0, peaks.length - tilePeaks));
  let tile = frontierOf(inTile, peaks.slice(peaks.length - tilePeaks));
  for (let at = 0; at < leaves.length;) {
    const end = Math.min(at + LEAVES_A_TURN, at + TILE_WIDTH - tile.size);
    tile = appendLeaves(tile, leaves.slice(at, end));
    at = end;
    if (tile.size === TILE_WIDTH) {
      tileRoots.push(...tile.peaks);
      full = appendLeaves(full, tile.peaks);
      tile = EMPTY_FRONTIER;
    }
    await nextTurn();
  }
  return { size: size + leaves.length, peaks: [...full.peaks, ...tile.peaks], tileRoots };
}

function setBitsOf(count: number): number {
  return count === 0 ? 0 : (count % 2) + setBitsOf(Math.floor(count / 2));
}

function joined(hashes: readonly Uint8Array[]): Uint8Array {
  const data = new Uint8Array(hashes.length * HASH_BYTES);
  for (const [at, hash] of hashes.entries()) data.set(hash, at * HASH_BYTES);
  return data;
}

function split(data: Uint8Array, count: number): readonly Uint8Array[] {
  if (data.length < count * HASH_BYTES) throw new Error('a tile of the log is missing');
  return Array.from({ length: count }, (_, at) => data.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES));
}
