import { setImmediate as nextTurn } from 'node:timers/promises';
import { formatEpoch, mapRoot, parseEpoch, tenantHeadValue, type Epoch } from '@cer/tlog/epoch';
import { frontierOf, leafHash, rootOfFrontier } from '@cer/tlog/merkle';
import type { EpochHead, LogEpochStore, LogStore, StoredFrontier, TenantTree } from '../store/index.js';
import { treeIdOf, type OpenedLogs } from './opened-log.js';
import { growTree, tailStart, type GrowingTree } from './tree-growth.js';

export interface EpochDeps {
  readonly logs: OpenedLogs;
  readonly store: { readonly log: LogStore; readonly logEpochs: LogEpochStore };
  readonly nodeId: string;
  readonly tagOf: (tenantId: string) => Uint8Array;
  /** Hashes of the head of the audit log and of the newest entry of the key history; null before the first. */
  readonly chains: () => Promise<Pick<Epoch, 'audit' | 'keyHistory'>>;
  readonly now: () => Date;
  readonly everyMs: number;
}

/** Shortest epoch for deletions: each epoch costs a head of every account. */
const DELETIONS_EVERY_MS = 60_000;
/** Maximum leaves of a tenant's tree in memory. */
const LEAVES_A_STEP = 4096;
/** Maximum leaves of the receipts log read by one query, during which SQLite answers no request. */
const LEAVES_A_QUERY = 4096;

export interface Epochs {
  /**
   * Ends the current epoch when it is due.
   * @param hasDeletions makes it due after a minute
   * @returns whether an epoch was appended
   */
  endWhenDue(hasDeletions: boolean): Promise<boolean>;
}

/** Appends the trees of tenants, and commits to all of them. @see docs/spec.md, "Transparency log" */
export function createEpochs({ logs, store, nodeId, tagOf, chains, now, everyMs }: EpochDeps): Epochs {
  const receipts = logs.receipts.row;
  const epochs = logs.epochs.row;

  const newest = async (count: number): Promise<{ readonly to: string; readonly logSize: number }> => {
    const [last] = count === 0 ? [] : await store.logEpochs.epochs(epochs.logId, count - 1, count);
    return last === undefined
      ? { to: receipts.since, logSize: 0 }
      : { to: last.to, logSize: parseEpoch(last.entry).log.size };
  };

  /** The tenants with leaves between two sizes, and the sizes of their trees then. */
  const grown = async (start: number, end: number): Promise<ReadonlyMap<string, number>> => {
    const sizes = new Map<string, number>();
    for (let at = start; at < end; at += LEAVES_A_QUERY) {
      const found = await store.logEpochs.grown(receipts.logId, at, Math.min(end, at + LEAVES_A_QUERY));
      // Numbers ascend with places: the last one counts.
      for (const { tenantId, size } of found) sizes.set(tenantId, size);
      await nextTurn();
    }
    return sizes;
  };

  const extend = async (tenantId: string, size: number): Promise<EpochHead> => {
    let tree = await store.logEpochs.tree(receipts.logId, tenantId, tagOf(tenantId));
    while (tree.size < size) tree = await grow(tree, Math.min(size, tree.size + LEAVES_A_STEP));
    return headOf(tree);
  };

  const grow = async (tree: TenantTree, size: number): Promise<TenantTree> => {
    const start = tailStart(tree.size);
    const entries = await store.log.tenantEntries(receipts.logId, tree.tenantId, start, size);
    if (entries.length !== size - start) throw new Error('a leaf of a tenant is missing');
    const hashes = entries.map(leafHash);
    const growing: GrowingTree = { treeId: tree.treeId, frontier: tree, tail: hashes.slice(0, tree.size - start) };
    const added = hashes.slice(tree.size - start);
    const { frontier, tiles } = await growTree(growing, added, (...tile) => store.log.tile(...tile));
    // Another process appended first; its tree is the same.
    if (!(await store.logEpochs.growTree(tree, frontier, tiles))) {
      return await store.logEpochs.tree(receipts.logId, tree.tenantId, tree.tag);
    }
    return { ...tree, ...frontier };
  };

  const append = async (epoch: Epoch, head: StoredFrontier, heads: readonly EpochHead[]): Promise<boolean> => {
    const entry = formatEpoch(epoch);
    const tail = await store.logEpochs.epochs(epochs.logId, tailStart(head.size), head.size);
    const growing = {
      treeId: treeIdOf(epochs),
      frontier: head,
      tail: tail.map((stored) => leafHash(stored.entry)),
    };
    const { frontier, tiles } = await growTree(growing, [leafHash(entry)], (...tile) => store.log.tile(...tile));
    const stored = { epoch: epoch.epoch, entry, to: epoch.to };
    return await store.logEpochs.grow({
      logId: epochs.logId,
      oldSize: head.size,
      frontier,
      epoch: stored,
      tiles,
      heads,
    });
  };

  return {
    endWhenDue: async (hasDeletions) => {
      const { halted, ...head } = await store.log.head(epochs.logId);
      const before = await newest(head.size);
      const to = now().toISOString();
      const dueMs = hasDeletions ? Math.min(everyMs, DELETIONS_EVERY_MS) : everyMs;
      if (halted !== null || Date.parse(to) - Date.parse(before.to) < dueMs) return false;
      // The head of the receipts log first: the trees hold exactly the leaves below it.
      const log = await store.log.head(receipts.logId);
      if (log.halted !== null) return false;
      const heads: EpochHead[] = [];
      for (const [tenantId, size] of await grown(before.logSize, log.size)) {
        heads.push(await extend(tenantId, size));
        await nextTurn();
      }
      const trees = await store.logEpochs.trees(receipts.logId);
      const elements = trees.map((tree) => ({ key: tree.tag, value: tenantHeadValue(headOf(tree)) }));
      const epoch: Epoch = {
        nodeId,
        epoch: head.size,
        from: before.to,
        to,
        log: { origin: receipts.origin, size: log.size, root: rootOf(log) },
        tenants: mapRoot(elements),
        ...(await chains()),
      };
      return await append(epoch, head, heads);
    },
  };
}

function rootOf({ size, peaks }: StoredFrontier): Uint8Array {
  return rootOfFrontier(frontierOf(size, peaks));
}

function headOf(tree: TenantTree): EpochHead {
  return { tenantId: tree.tenantId, tag: tree.tag, size: tree.size, root: rootOf(tree) };
}
