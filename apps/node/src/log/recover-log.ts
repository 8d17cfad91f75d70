import { judgeCheckpoint, TlogError, type LogPolicy } from '@cer/tlog';
import { parseEpoch } from '@cer/tlog/epoch';
import { equalBytes, frontierOf, leafHash, rootOfFrontier } from '@cer/tlog/merkle';
import { formatNote, parseCheckpoint, type SignedCheckpoint } from '@cer/tlog/note';
import { decodeEntryBundle, openTileTree, TILE_WIDTH, tilesMatch } from '@cer/tlog/tiles';
import { StartupError } from '../errors/startup-error.js';
import type { LogRow, PlacedLeaf, Store } from '../store/index.js';
import type { LogMirror } from './log-mirror.js';
import { entriesOf } from './log-tree.js';
import { noteKeyOfLog, treeIdOf } from './opened-log.js';
import { leafAt } from './stored-leaf.js';
import { growTree, tailStart } from './tree-growth.js';

export interface RecoveryDeps {
  readonly store: Pick<Store, 'log' | 'logEpochs' | 'logRecovery'>;
  /** Whose quorum must have cosigned the mirror's checkpoint. */
  readonly policy: LogPolicy;
  readonly tagOf: (tenantId: string) => Uint8Array;
  readonly now: () => Date;
}

export interface RecoveredLog {
  /** The size of the database before, and that of the mirror. */
  readonly from: number;
  readonly to: number;
  /** Entries whose leaves the database still had, without their places. */
  readonly opened: number;
}

/** Leaves without a place that are compared with the entries of the mirror. */
const MAX_PENDING = 1_000_000;

/**
 * Restores from a mirror the entries of a log that a restored database lacks, after checking them against a checkpoint
 * with quorum. The openings of lost leaves stay lost.
 * @throws StartupError when the mirror cannot be used, or has another history than the database
 * @see docs/operations.md, "Transparency log"
 */
export async function recoverLog(deps: RecoveryDeps, row: LogRow, mirror: LogMirror): Promise<RecoveredLog> {
  try {
    return await recovered(deps, row, mirror);
  } catch (error) {
    if (error instanceof StartupError) throw error;
    const reason = error instanceof Error ? error.message : 'cannot be read';
    throw new StartupError(`--from: the copy of ${row.origin} cannot be used: ${reason}`, { cause: error });
  }
}

async function recovered(deps: RecoveryDeps, row: LogRow, mirror: LogMirror): Promise<RecoveredLog> {
  const { store, tagOf, now } = deps;
  const published = await mirror.checkpoint();
  const checkpoint = await acceptedCheckpoint(published, row, deps.policy);
  const { size, root } = checkpoint;
  const { size: oldSize, peaks } = await store.log.head(row.logId);
  const head = { size: oldSize, peaks };
  const tree = openTileTree(size, (tile) => mirror.tile(tile));
  if (!(await tilesMatch(checkpoint, tree))) throw new StartupError('--from: the tiles do not lead to the checkpoint');
  if (size < head.size) throw new StartupError(`--from: the copy of ${row.origin} is older than the database`);
  if (!equalBytes(await tree.rootAt(head.size), rootOfFrontier(frontierOf(head.size, head.peaks)))) {
    throw new StartupError(`--from: the copy of ${row.origin} has another history than the database`);
  }
  const entries = await entriesFrom(mirror, head.size, size);
  const tail = (await entriesOf(store, row)(tailStart(head.size), head.size)).map(leafHash);
  const growing = { treeId: treeIdOf(row), frontier: head, tail };
  const { frontier, tiles } = await growTree(growing, entries.map(leafHash), (...tile) => store.log.tile(...tile));
  if (!equalBytes(rootOfFrontier(frontierOf(frontier.size, frontier.peaks)), root)) {
    throw new StartupError('--from: the entries do not lead to the checkpoint');
  }
  const isReceipts = row.role === 'receipts';
  const leaves = isReceipts ? await knownLeaves(store, row, entries, head.size, tagOf) : [];
  const placed = new Set(leaves.map(({ index }) => index));
  const isWritten = await store.logRecovery.restore({
    logId: row.logId,
    oldSize,
    frontier,
    leaves,
    tiles,
    lost: isReceipts
      ? entries.map((entry, at) => ({ index: head.size + at, entry })).filter(({ index }) => !placed.has(index))
      : [],
    epochs: isReceipts ? [] : entries.map((entry) => ({ ...parseEpoch(entry), entry })),
    note: ownNote(published, row.origin),
    published,
    publishedMs: now().getTime(),
  });
  if (!isWritten) throw new StartupError('the log grew concurrently: stop every node, then recover');
  return { from: head.size, to: size, opened: leaves.length };
}

/** A checkpoint of this log with the quorum of the node's own policy. */
async function acceptedCheckpoint(note: string, row: LogRow, policy: LogPolicy): Promise<SignedCheckpoint> {
  const checkpoint = parseCheckpoint(note);
  const own = { ...policy, logs: [{ key: noteKeyOfLog(row), url: null }] };
  const judged = checkpoint.origin === row.origin ? await judgeCheckpoint(checkpoint, own) : null;
  if (judged?.status !== 'signed') throw new StartupError(`--from: has no checkpoint that ${row.origin} signed`);
  if (!judged.isQuorumMet) throw new StartupError('--from: the checkpoint lacks the quorum of LOG_POLICY_FILE');
  return checkpoint;
}

/** Each checked against its hash in the tiles, which lead to the checkpoint. */
async function entriesFrom(mirror: LogMirror, start: number, end: number): Promise<readonly Uint8Array[]> {
  const entries: Uint8Array[] = [];
  for (let index = Math.floor(start / TILE_WIDTH); index * TILE_WIDTH < end; index++) {
    const width = Math.min(TILE_WIDTH, end - index * TILE_WIDTH);
    const [bundle, hashes] = await Promise.all([
      mirror.tile({ level: 'entries', index, width }),
      mirror.tile({ level: 0, index, width }),
    ]);
    const read = decodeEntryBundle(bundle).slice(0, width);
    const isRight = read.every((entry, at) => equalBytes(leafHash(entry), hashes.subarray(at * 32, at * 32 + 32)));
    if (read.length !== width || !isRight) throw new TlogError('MALFORMED', 'an entry does not hash to its tile');
    entries.push(...read.slice(Math.max(0, start - index * TILE_WIDTH)));
  }
  return entries;
}

/** Leaves that the database has without a place, and that got one in the history of the mirror. */
async function knownLeaves(
  store: RecoveryDeps['store'],
  { logId }: LogRow,
  entries: readonly Uint8Array[],
  start: number,
  tagOf: RecoveryDeps['tagOf'],
): Promise<readonly PlacedLeaf[]> {
  const places = new Map(entries.map((entry, at) => [Buffer.from(entry).toString('hex'), start + at]));
  const numbers = new Map<string, number>();
  const known: PlacedLeaf[] = [];
  for (const leaf of await store.log.pending(MAX_PENDING)) {
    const { tenantId, leafId } = leaf;
    const number = (numbers.get(tenantId) ?? (await store.log.lastNumber(logId, tenantId))) + 1;
    const { entry } = leafAt(leaf, number, tagOf(tenantId)).leaf;
    const index = places.get(Buffer.from(entry).toString('hex'));
    if (index === undefined) continue;
    numbers.set(tenantId, number);
    known.push({ leafId, index, number, entry });
  }
  return known;
}

/** The checkpoint with the line of the log only. */
function ownNote(note: string, origin: string): string {
  const gap = note.indexOf('\n\n');
  const lines = note.slice(gap + 2).split('\n');
  return formatNote(
    note.slice(0, gap + 1),
    lines.filter((line) => line.startsWith(`— ${origin} `)).map((line) => `${line}\n`),
  );
}
