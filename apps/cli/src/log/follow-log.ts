import { judgeCheckpoint, TlogError, type LogPolicy } from '@cer/tlog';
import { equalBytes, leafHash, treeOfLeafHashes, verifyConsistency } from '@cer/tlog/merkle';
import { parseCheckpoint, type SignedCheckpoint } from '@cer/tlog/note';
import {
  decodeEntryBundle,
  openTileTree,
  TILE_WIDTH,
  tilesMatch,
  tilesOf,
  type TileName,
  type TileTree,
} from '@cer/tlog/tiles';
import { FetchFault } from '../http/fetch-json.js';
import type { Alarm, AlarmCode } from './alarm.js';
import type { Followed } from './followed-log.js';
import type { LogSource } from './log-source.js';

/** A checkpoint that was checked against all that is known, and the log below it. */
export interface Turn {
  readonly note: string;
  readonly checkpoint: SignedCheckpoint;
  readonly tree: TileTree;
  /** The newest cosignature, in seconds since 1970; null where the policy names no witness that cosigned. */
  readonly newestCosignature: number | null;
}

export interface TurnHooks {
  /** Called for each new entry, in order. @returns what is wrong with it, or null */
  readonly onEntry: (index: number, entry: Uint8Array) => string | null;
  /** Called for each tile and bundle after it was checked. */
  readonly onTile?: (name: TileName, bytes: Uint8Array) => Promise<void>;
}

/** Why a turn ended without a result. */
class TurnEnded extends Error {
  override readonly name = 'TurnEnded';
  readonly alarm: Alarm;

  constructor(alarm: Alarm) {
    super(alarm.detail);
    this.alarm = alarm;
  }
}

/**
 * Follows a log by one step: signatures under the policy, consistency with what was accepted before, and every new
 * entry against its tile.
 * @returns the checked checkpoint, or the alarm that ended the turn
 */
export async function followLog(
  origin: string,
  source: LogSource,
  policy: LogPolicy,
  known: Followed | null,
  hooks: TurnHooks,
): Promise<Turn | Alarm> {
  const fail = (code: AlarmCode, detail: string, evidence: readonly string[] = []): TurnEnded =>
    new TurnEnded({ code, origin, detail, ...(evidence.length > 0 && { evidence }) });
  try {
    const note = await source.checkpoint();
    const checkpoint = parseCheckpoint(note);
    if (checkpoint.origin !== origin) throw fail('LOG_UNKNOWN', 'another log answers at this address');
    const signed = await judgeCheckpoint(checkpoint, policy);
    if (signed.status === 'refused') throw fail(signed.code, 'the checkpoint is not signed as the policy asks');
    if (!signed.isQuorumMet) throw fail('LOG_QUORUM_NOT_MET', 'too few witnesses of the policy cosigned');

    const { size, root } = checkpoint;
    const tree = openTileTree(size, source.tile);
    const before = known?.checkpoint ?? null;
    if (before !== null) {
      const both = [known?.note ?? '', note];
      if (size < before.size) throw fail('LOG_ROLLED_BACK', 'the log is smaller than it was', both);
      const path = before.size === 0 ? [] : await tree.consistencyPath(before.size, size);
      const heads = { size1: before.size, root1: before.root, size2: size, root2: root };
      if (!verifyConsistency({ ...heads, path })) {
        throw fail('LOG_SPLIT_VIEW', 'the log does not extend the checkpoint that was accepted before', both);
      }
    }
    if (!(await tilesMatch(checkpoint, tree))) {
      throw fail('LOG_CONTENT_INVALID', 'the tiles do not lead to the root of the checkpoint', [note]);
    }
    const fault =
      (await readUpperTiles(tree, before?.size ?? 0, size, hooks)) ??
      (await readEntries(source, tree, before?.size ?? 0, size, hooks));
    if (fault !== null) throw fail('LOG_CONTENT_INVALID', fault, [note]);
    const times = signed.witnesses.flatMap((witness) => witness.times);
    return { note, checkpoint, tree, newestCosignature: times.length === 0 ? null : Math.max(...times) };
  } catch (error) {
    if (error instanceof TurnEnded) return error.alarm;
    if (error instanceof FetchFault) return { code: 'LOG_UNAVAILABLE', origin, detail: `the log: ${error.message}` };
    if (error instanceof TlogError) return { code: 'LOG_MALFORMED', origin, detail: error.message };
    throw error;
  }
}

/** Reads the tiles above level 0 that changed from one size to another, each full one against the tile above it. */
async function readUpperTiles(tree: TileTree, from: number, to: number, { onTile }: TurnHooks): Promise<string | null> {
  for (const { level, index, width } of tilesOf(to)) {
    if (level === 0 || (index + 1) * TILE_WIDTH ** (level + 1) <= from) continue;
    const hashes = await tree.hashesOf(level, index);
    if (!equalBytes(treeOfLeafHashes(hashes).root, await tree.rootOfTile(level, index)))
      return `tile ${String(index)} of level ${String(level)} does not hash to the tile above it`;
    await onTile?.({ level, index, width }, Buffer.concat(hashes));
  }
  return null;
}

/** Reads all entries from one size to another, each against its hash in the tile, and each tile against the tree. */
async function readEntries(
  source: LogSource,
  tree: TileTree,
  from: number,
  to: number,
  { onEntry, onTile }: TurnHooks,
): Promise<string | null> {
  for (let index = Math.floor(from / TILE_WIDTH); index * TILE_WIDTH < to; index++) {
    const first = index * TILE_WIDTH;
    const width = Math.min(TILE_WIDTH, to - first);
    const bundle = await source.tile({ level: 'entries', index, width });
    const hashes = await source.tile({ level: 0, index, width });
    const entries = decodeEntryBundle(bundle);
    if (entries.length !== width) return `the bundle of entries ${String(index)} has another number of entries`;
    for (const [at, entry] of entries.entries()) {
      if (!equalBytes(leafHash(entry), hashes.subarray(at * 32, at * 32 + 32))) {
        return `entry ${String(first + at)} does not hash to its tile`;
      }
      const fault = first + at < from ? null : onEntry(first + at, entry);
      if (fault !== null) return fault;
    }
    if (!equalBytes(treeOfLeafHashes(entries.map(leafHash)).root, await tree.rootOfTile(0, index)))
      return `the tile of entries from ${String(first)} does not hash to the tile above it`;
    await onTile?.({ level: 'entries', index, width }, bundle);
    await onTile?.({ level: 0, index, width }, hashes);
  }
  return null;
}

/** Whether a turn ended in an alarm. */
export function isAlarm(result: Turn | Alarm): result is Alarm {
  return 'code' in result;
}
