import { equalBytes, HASH_BYTES } from '../merkle/hash.js';
import {
  assertLeaf,
  assertSize,
  consistencyRanges,
  foldPeaks,
  inclusionRanges,
  subtreesOf,
  type LeafRange,
  type Subtree,
} from '../merkle/ranges.js';
import { treeOfLeafHashes } from '../merkle/tree.js';
import type { TreeHead } from '../note/checkpoint.js';
import { malformed } from '../tlog-error.js';
import { TILE_WIDTH, type TileName } from './tile-path.js';

/** Gets the bytes of a tile of hashes: 32 bytes for each hash of its width. */
export type ReadTile = (tile: TileName & { readonly level: number }) => Promise<Uint8Array>;

/** Proofs and roots of a log that is read by tiles. No tile is trusted before it leads to a signed root. */
export interface TileTree {
  rootAt(size: number): Promise<Uint8Array>;
  inclusionPath(leafIndex: number, treeSize: number): Promise<readonly Uint8Array[]>;
  consistencyPath(from: number, to: number): Promise<readonly Uint8Array[]>;
  /** The hashes of a tile, as it was read. */
  hashesOf(level: number, index: number): Promise<readonly Uint8Array[]>;
  /** The root over the hashes of a tile: of a full one as the tile above states it. */
  rootOfTile(level: number, index: number): Promise<Uint8Array>;
}

/** Levels of a Merkle tree that one tile covers. */
const TILE_HEIGHT = 8;

/**
 * Reads a log by its tiles; each tile is asked for once.
 * @param size of the log; it decides how wide the last tiles are
 * @param readTile its bytes, of the width that was asked for
 * @throws TlogError MALFORMED from each method for a tile of another length; RangeError beyond the size
 */
export function openTileTree(size: number, readTile: ReadTile): TileTree {
  const tiles = new Map<string, Promise<readonly Uint8Array[]>>();

  const hashesOf = (level: number, index: number): Promise<readonly Uint8Array[]> => {
    const name = `${String(level)}/${String(index)}`;
    let hashes = tiles.get(name);
    if (hashes === undefined) {
      const width = Math.min(TILE_WIDTH, Math.floor(size / TILE_WIDTH ** level) - index * TILE_WIDTH);
      hashes = readTile({ level, index, width }).then((bytes) => splitTile(bytes, width));
      tiles.set(name, hashes);
    }
    return hashes;
  };

  const rootOfSubtree = async ({ height, index }: Subtree): Promise<Uint8Array> => {
    const count = 2 ** (height % TILE_HEIGHT);
    const first = index * count;
    const hashes = await hashesOf(Math.floor(height / TILE_HEIGHT), Math.floor(first / TILE_WIDTH));
    const from = first % TILE_WIDTH;
    return treeOfLeafHashes(hashes.slice(from, from + count)).root;
  };

  const rootOf = async (range: LeafRange): Promise<Uint8Array> =>
    foldPeaks(await Promise.all(subtreesOf(range).map(rootOfSubtree)));

  return {
    rootAt: async (at) => rootOf([0, assertSize(at, size)]),
    async inclusionPath(leafIndex, treeSize) {
      assertLeaf(leafIndex, assertSize(treeSize, size));
      return Promise.all(inclusionRanges(leafIndex, treeSize).map(rootOf));
    },
    async consistencyPath(from, to) {
      assertSize(from, assertSize(to, size));
      return Promise.all(consistencyRanges(from, to).map(rootOf));
    },
    hashesOf,
    rootOfTile: async (level, index) =>
      (index + 1) * TILE_WIDTH ** (level + 1) <= size
        ? rootOfSubtree({ height: (level + 1) * TILE_HEIGHT, index })
        : treeOfLeafHashes(await hashesOf(level, index)).root,
  };
}

/** Whether the tiles of a log lead to the root of its checkpoint. */
export async function tilesMatch({ size, root }: TreeHead, tree: TileTree): Promise<boolean> {
  return equalBytes(await tree.rootAt(size), root);
}

function splitTile(bytes: Uint8Array, width: number): readonly Uint8Array[] {
  if (bytes.length !== width * HASH_BYTES) throw malformed('tile: its length does not fit its width');
  return Array.from({ length: width }, (_, at) => bytes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES));
}
