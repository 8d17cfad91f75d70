import { setImmediate as nextTurn } from 'node:timers/promises';
import { hashText } from '@cer/tlog/leaf';
import { leafHash } from '@cer/tlog/merkle';
import type { LogStore, PendingLeaf, PlacedLeaf } from '../store/index.js';
import { treeIdOf, type OpenedLog } from './opened-log.js';
import { placedLeaf } from './stored-leaf.js';
import { growTree, tailStart, type GrowingTree } from './tree-growth.js';

export interface SequencerDeps {
  readonly log: OpenedLog;
  readonly store: LogStore;
  readonly tagOf: (tenantId: string) => Uint8Array;
  /** Maximum leaves per transaction. */
  readonly batchLimit: number;
}

/** Leaves computed between two pauses for other requests. */
const LEAVES_A_TURN = 16;
/** Maximum tenants in the cache. */
const MAX_TENANTS = 50_000;

interface TenantInLog {
  /** Of its newest leaf; 0 before the first. */
  lastNumber: number;
  /** Its tag as a hash. */
  readonly tag: string;
}

/** Gives stored leaves their places, and the log its heads. */
export interface Sequencer {
  /** @returns how many leaves got a place; 0 also when another process was faster */
  integrate(): Promise<number>;
}

/**
 * The state between two turns is only reused while the log has the size that this process gave it, so that any number
 * of processes may sequence one log.
 * @see docs/spec.md, "Transparency log"
 */
export function createSequencer({ log, store, tagOf, batchLimit }: SequencerDeps): Sequencer {
  const { logId } = log.row;
  const treeId = treeIdOf(log.row);
  let known: GrowingTree | null = null;
  const tenants = new Map<string, TenantInLog>();

  const tree = async (): Promise<GrowingTree | null> => {
    const { halted, ...frontier } = await store.head(logId);
    if (halted !== null) return null;
    if (known?.frontier.size === frontier.size) return known;
    tenants.clear();
    const entries = await store.entries(logId, tailStart(frontier.size), frontier.size);
    known = { treeId, frontier, tail: entries.map(leafHash) };
    return known;
  };

  const inLog = async (tenantId: string): Promise<TenantInLog> => {
    const lastNumber = await store.lastNumber(logId, tenantId);
    const tenant = { lastNumber, tag: hashText(tagOf(tenantId)) };
    tenants.set(tenantId, tenant);
    return tenant;
  };

  const placed = async (pending: readonly PendingLeaf[], start: number) => {
    // Between two batches: the database does not have the numbers of this one yet.
    if (tenants.size >= MAX_TENANTS) tenants.clear();
    const leaves: PlacedLeaf[] = [];
    const hashes: Uint8Array[] = [];
    for (const [at, row] of pending.entries()) {
      const tenant = tenants.get(row.tenantId) ?? (await inLog(row.tenantId));
      const number = ++tenant.lastNumber;
      const { entry, leafHash: hash } = placedLeaf(row, number, tenant.tag);
      leaves.push({ leafId: row.leafId, index: start + at, number, entry });
      hashes.push(hash);
      if (at % LEAVES_A_TURN === LEAVES_A_TURN - 1) await nextTurn();
    }
    return { leaves, hashes };
  };

  return {
    integrate: async () => {
      // The head first: rows that are read before an older head could have got their places in between.
      const before = await tree();
      if (before === null) return 0;
      const pending = await store.pending(batchLimit);
      if (pending.length === 0) return 0;
      // Until the transaction is known to have succeeded, nothing is remembered.
      known = null;
      const { size } = before.frontier;
      const { leaves, hashes } = await placed(pending, size);
      const { tiles, ...grown } = await growTree(before, hashes, (...tile) => store.tile(...tile));
      const isWritten = await store.grow({ logId, oldSize: size, frontier: grown.frontier, leaves, tiles });
      if (!isWritten) {
        tenants.clear();
        return 0;
      }
      known = grown;
      return leaves.length;
    },
  };
}
