import type { LogGrowth } from './log.js';
import type { NewLeaf } from './log-leaves.js';
import type { StoredEpoch } from './log-epochs.js';

/** An entry of the log whose leaf the database lost: only its 33 bytes are known. */
export interface LostEntry {
  readonly index: number;
  readonly entry: Uint8Array;
}

/** The entries that a mirror has and the database lost, as one change. */
export interface LogRestoration extends LogGrowth {
  readonly lost: readonly LostEntry[];
  readonly epochs: readonly StoredEpoch[];
  /** The checkpoint of the new size: with the line of the log only, and as it was published. */
  readonly note: string;
  readonly published: string;
  readonly publishedMs: number;
}

/** A registered project without a leaf. */
export interface UnloggedProject {
  readonly seq: number;
  readonly registeredAt: string;
  readonly receiptJson: string;
  readonly signature: string;
}

/** A leaf for a row that was stored before the log began. */
export interface MissingLeaf {
  readonly kind: 'records' | 'projects';
  readonly seq: number;
  readonly leaf: NewLeaf;
}

/** The changes of `log recover` and `log backfill`. */
export interface LogRecoveryStore {
  /** Also ends a halt. @returns false when the log has another size than `oldSize`: nothing was written */
  restore(restoration: LogRestoration): Promise<boolean>;
  /** Registered projects after a position (0: from the start) without a leaf, in order. */
  projectsWithoutLeaf(seq: number, limit: number): Promise<readonly UnloggedProject[]>;
  /** Stores each leaf whose row is not deleted and has none of this source. @returns how many were stored */
  addMissing(leaves: readonly MissingLeaf[]): Promise<number>;
}
