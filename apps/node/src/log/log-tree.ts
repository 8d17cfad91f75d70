import { leafHash } from '@cer/tlog/merkle';
import { openTileTree, TILE_WIDTH, type ReadTile, type TileTree } from '@cer/tlog/tiles';
import type { LogEpochStore, LogRow, LogStore } from '../store/index.js';
import { treeIdOf } from './opened-log.js';

const HASH_BYTES = 32;

export interface LogTreeStore {
  readonly log: Pick<LogStore, 'tile' | 'entries'>;
  readonly logEpochs: Pick<LogEpochStore, 'epochs'>;
}

/** Entries of a log by index, from `start` up to and without `end`. */
export type ReadEntries = (start: number, end: number) => Promise<readonly Uint8Array[]>;

export function entriesOf({ log, logEpochs }: LogTreeStore, row: LogRow): ReadEntries {
  return row.role === 'receipts'
    ? (start, end) => log.entries(row.logId, start, end)
    : async (start, end) => (await logEpochs.epochs(row.logId, start, end)).map(({ entry }) => entry);
}

/** The tiles of hashes of a stored tree. A partial tile of level 0 is computed from its entries. */
export function tilesFrom(log: Pick<LogStore, 'tile'>, treeId: number, readEntries: ReadEntries): ReadTile {
  return async ({ level, index, width }) => {
    const stored = await log.tile(treeId, level, index);
    if (stored !== null && stored.length >= width * HASH_BYTES) return stored.subarray(0, width * HASH_BYTES);
    if (level > 0) throw new Error('a tile of the log is missing');
    const start = index * TILE_WIDTH;
    const entries = await readEntries(start, start + width);
    if (entries.length !== width) throw new Error('an entry of the log is missing');
    const tile = new Uint8Array(width * HASH_BYTES);
    for (const [at, entry] of entries.entries()) tile.set(leafHash(entry), at * HASH_BYTES);
    return tile;
  };
}

/** A log at one of its sizes. */
export function treeOfLog(store: LogTreeStore, row: LogRow, size: number): TileTree {
  return openTileTree(size, tilesFrom(store.log, treeIdOf(row), entriesOf(store, row)));
}
