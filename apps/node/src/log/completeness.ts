import type { JsonObject, JsonValue } from '@cer/canonical-json';
import { encodeHex } from '@cer/keys';
import { formatTlogProof } from '@cer/tlog';
import { proveInMap, tenantHeadValue } from '@cer/tlog/epoch';
import { treeOfLeafHashes } from '@cer/tlog/merkle';
import { TILE_WIDTH } from '@cer/tlog/tiles';
import type { EpochHead, LogEpochStore, LogRow, LogStore, PublishedNote, StoredEpoch } from '../store/index.js';
import { tilesFrom, treeOfLog } from './log-tree.js';
import { LEAVES_AT_ONCE } from './opening-lines.js';
import { MMD_SECONDS } from './log-statement.js';
import { UnnamedDeletions } from './unnamed-deletions.js';

export interface CompletenessStore {
  readonly log: Pick<LogStore, 'tile' | 'entries' | 'tenantEntries' | 'tenantLeaves'>;
  readonly logEpochs: Pick<LogEpochStore, 'epochs' | 'firstTo' | 'lastTo' | 'headsAt' | 'tree'>;
}

export interface CompletenessDeps {
  readonly store: CompletenessStore;
  readonly receipts: LogRow;
  readonly epochs: LogRow;
  readonly tagOf: (tenantId: string) => Uint8Array;
}

/** Times of a question; null: without a bound. */
export interface AskedPeriod {
  readonly attestedFrom: string | null;
  readonly attestedTo: string | null;
}

/** A range of a tenant's leaves between two epochs. */
export interface LeafRange {
  /** `log/completeness.json`. @see docs/spec.md, "Completeness" */
  readonly document: JsonObject;
  /** Numbers after `start`, up to `end`. */
  readonly start: number;
  readonly end: number;
}

/** Records just before a period may be logged in it. */
const BEFORE_MS = 60_000;
const HASH_BYTES = 32;
const TILE_HEIGHT = 8;

/**
 * The range of epochs that proves a period; null before the first, and while none has the deletion of a deleted leaf.
 * @param shown the published checkpoint of the epochs log up to which the range may reach; null before the first
 */
export async function leafRange(
  deps: CompletenessDeps,
  tenantId: string,
  { attestedFrom, attestedTo }: AskedPeriod,
  shown: Pick<PublishedNote, 'size' | 'note'> | null,
): Promise<LeafRange | null> {
  const { store, epochs, receipts } = deps;
  if (shown === null || shown.size === 0) return null;
  const newest = await epochAt(store, epochs, shown.size - 1);
  const wanted =
    attestedTo === null
      ? null
      : await store.logEpochs.firstTo(epochs.logId, later(attestedTo, MMD_SECONDS * 1000), shown.size);
  const first =
    attestedFrom === null
      ? null
      : await store.logEpochs.lastTo(epochs.logId, later(attestedFrom, -BEFORE_MS), shown.size);
  let to = await endOf(deps, tenantId, wanted ?? newest, shown);
  if (to === null) return null;
  const from = first === null ? null : await endOf(deps, tenantId, first, shown);
  const start = from?.head.size ?? 0;
  const unnamed = new UnnamedDeletions();
  // A deletion after the range is a leaf of a later epoch: only there it can be shown.
  if (await lacksDeletion(unnamed, deps, tenantId, start, to.head.size)) {
    const last = await endOf(deps, tenantId, newest, shown);
    if (last === null || last.head.size === to.head.size) return null;
    if (await lacksDeletion(unnamed, deps, tenantId, to.head.size, last.head.size)) return null;
    to = last;
  }
  const document = {
    type: 'svc.log-completeness.v1',
    tenantId,
    origin: receipts.origin,
    from: from?.json ?? null,
    to: to.json,
    peaks: from === null ? [] : (await peaksOf(deps, tenantId, start)).map(hashText),
  };
  return { document, start, end: to.head.size };
}

/**
 * Whether the deletion of a leaf is neither in the range nor in what `unnamed` read before it. The range may be all that
 * an account has: it is read in parts.
 */
async function lacksDeletion(
  unnamed: UnnamedDeletions,
  { store, receipts }: CompletenessDeps,
  tenantId: string,
  start: number,
  end: number,
): Promise<boolean> {
  for (let from = start; from < end; from += LEAVES_AT_ONCE) {
    const to = Math.min(end, from + LEAVES_AT_ONCE);
    const leaves = await store.log.tenantLeaves(receipts.logId, tenantId, from, to);
    for (const leaf of leaves) unnamed.add(leaf);
  }
  return !unnamed.isEmpty;
}

async function epochAt({ logEpochs }: CompletenessStore, { logId }: LogRow, index: number): Promise<StoredEpoch> {
  const [epoch] = await logEpochs.epochs(logId, index, index + 1);
  if (epoch === undefined) throw new Error('an epoch of the log is missing');
  return epoch;
}

/** One end of a range; null for a tenant without leaves at that time. */
async function endOf(
  { store, epochs, tagOf }: CompletenessDeps,
  tenantId: string,
  { epoch, entry }: StoredEpoch,
  shown: Pick<PublishedNote, 'size' | 'note'>,
): Promise<{ readonly head: EpochHead; readonly json: JsonValue } | null> {
  const heads = await store.logEpochs.headsAt(epochs.logId, epoch);
  const head = heads.find((each) => each.tenantId === tenantId);
  if (head === undefined) return null;
  const elements = heads.map((each) => ({ key: each.tag, value: tenantHeadValue(each) }));
  const { siblings } = proveInMap(elements, tagOf(tenantId));
  const path = await treeOfLog(store, epochs, shown.size).inclusionPath(epoch, shown.size);
  const json = {
    epoch,
    entry: new TextDecoder().decode(entry),
    proof: formatTlogProof({ index: epoch, path, checkpoint: shown.note }),
    head: { size: head.size, root: hashText(head.root) },
    siblings: siblings.map(hashText),
  };
  return { head, json };
}

/** The roots of the complete subtrees of the first leaves of a tenant, largest first. */
async function peaksOf(
  { store, receipts, tagOf }: CompletenessDeps,
  tenantId: string,
  size: number,
): Promise<readonly Uint8Array[]> {
  const { treeId } = await store.logEpochs.tree(receipts.logId, tenantId, tagOf(tenantId));
  const readTile = tilesFrom(store.log, treeId, (start, end) =>
    store.log.tenantEntries(receipts.logId, tenantId, start, end),
  );
  const peaks: Uint8Array[] = [];
  let start = 0;
  for (let height = Math.floor(Math.log2(Math.max(1, size))); height >= 0; height--) {
    const leaves = 2 ** height;
    if (size - start < leaves) continue;
    const [level, count] = [Math.floor(height / TILE_HEIGHT), 2 ** (height % TILE_HEIGHT)];
    const first = (start / leaves) * count;
    const offset = first % TILE_WIDTH;
    const tile = await readTile({ level, index: Math.floor(first / TILE_WIDTH), width: offset + count });
    const hashes = Array.from({ length: count }, (_, at) =>
      tile.subarray((offset + at) * HASH_BYTES, (offset + at + 1) * HASH_BYTES),
    );
    peaks.push(treeOfLeafHashes(hashes).root);
    start += leaves;
  }
  return peaks;
}

function later(time: string, ms: number): string {
  return new Date(Date.parse(time) + ms).toISOString();
}

function hashText(hash: Uint8Array): string {
  return `sha256:${encodeHex(hash)}`;
}
