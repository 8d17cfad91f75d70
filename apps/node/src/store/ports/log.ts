import type { LoggedLeaf, NewLeaf, PendingLeaf } from './log-leaves.js';

export type LogRole = 'receipts' | 'epochs';

/** One log of the node: receipts or epochs. */
export interface LogRow {
  readonly logId: number;
  readonly origin: string;
  readonly role: LogRole;
  /** The node's time: ISO 8601, UTC, milliseconds, `Z`. */
  readonly since: string;
  /** Base64 of the SPKI DER. */
  readonly publicKey: string;
  readonly holder: string;
  readonly reference: string;
  /** Null while the log is open. */
  readonly closedJson: string | null;
}

/** Why no further head of a log is made. */
export type LogHalt = 'LOG_ROLLED_BACK' | 'LOG_FORK' | 'LOG_CLOSED';

/** A tree of which only the right edge is stored. */
export interface StoredFrontier {
  readonly size: number;
  /** 32 bytes each, the largest subtree first. */
  readonly peaks: readonly Uint8Array[];
}

export interface LogHead extends StoredFrontier {
  readonly halted: LogHalt | null;
}

/** How a log ends. */
export interface LogClosing {
  readonly logId: number;
  readonly size: number;
  readonly closedJson: string;
}

/** A tile of hashes: the first ones, or all 256. */
export interface TileRow {
  /** The tree of a tenant, or the negated id of a log. */
  readonly treeId: number;
  readonly level: number;
  readonly index: number;
  readonly data: Uint8Array;
}

/** A leaf that gets its place. */
export interface PlacedLeaf {
  readonly leafId: number;
  readonly index: number;
  readonly number: number;
  readonly entry: Uint8Array;
}

/** The next leaves of the receipts log, and the head with them. */
export interface LogGrowth {
  readonly logId: number;
  readonly oldSize: number;
  readonly frontier: StoredFrontier;
  readonly leaves: readonly PlacedLeaf[];
  readonly tiles: readonly TileRow[];
}

/** Leaves that an audit entry deleted. */
export interface OpenDeletion {
  readonly auditSeq: number;
  /** Hash of the audit entry. */
  readonly auditHash: string;
  /** Of the audit entry: ISO 8601, UTC, milliseconds, `Z`. */
  readonly at: string;
  /** False while a leaf waits for its place. */
  readonly isPlaced: boolean;
  readonly leaves: readonly { readonly tenantId: string; readonly logId: number | null; readonly number: number }[];
}

/** Where the receipt of a leaf is. */
export type ShownSource =
  | { readonly of: 'reseal'; readonly publicCerJson: string }
  | { readonly of: 'project'; readonly receiptJson: string; readonly signature: string }
  | { readonly of: 'deletion'; readonly auditHash: string };

/** Places of leaves, heads and tiles. Every change has the old size as its condition. */
export interface LogStore {
  /** All logs, closed ones too, in order. */
  logs(): Promise<readonly LogRow[]>;
  /** Begins logs, each empty. @returns false when a log is open, or an earlier one had one of the origins */
  begin(rows: readonly Omit<LogRow, 'logId' | 'closedJson'>[]): Promise<boolean>;
  /**
   * Closes logs, which grow no more: neither by this process nor by one that still has them open.
   * @returns false when one of them has another size or is closed: nothing was written
   */
  close(closed: readonly LogClosing[]): Promise<boolean>;
  head(logId: number): Promise<LogHead>;
  halt(logId: number, halted: LogHalt | null): Promise<void>;

  /** The oldest leaves without a place, in the order of their storing. */
  pending(limit: number): Promise<readonly PendingLeaf[]>;
  /** The number of a tenant's newest leaf; 0 without one. */
  lastNumber(logId: number, tenantId: string): Promise<number>;
  /** @returns false when the log has another size than `oldSize`: nothing was written */
  grow(growth: LogGrowth): Promise<boolean>;

  /** Entries by index, from `start` up to and without `end`. */
  entries(logId: number, start: number, end: number): Promise<readonly Uint8Array[]>;
  /** Entries of one tenant by number minus 1, as `entries`. */
  tenantEntries(logId: number, tenantId: string, start: number, end: number): Promise<readonly Uint8Array[]>;
  /** Leaves of one tenant by number minus 1, from `start` up to and without `end`. */
  tenantLeaves(logId: number, tenantId: string, start: number, end: number): Promise<readonly LoggedLeaf[]>;
  /**
   * The signed content in the row of a leaf, as JSON: of a reseal the public form, of a project its receipt with
   * signature, of a deletion the hash of its audit entry. Null once it is gone.
   */
  shownOf(leaf: Pick<LoggedLeaf, 'source' | 'sourceSeq'>): Promise<ShownSource | null>;
  /** The stored hashes of a tile; null without one. */
  tile(treeId: number, level: number, index: number): Promise<Uint8Array | null>;

  /** The newest leaf of a tenant's record, its reseal, or its project; null without one. */
  leafOf(
    source: 'record' | 'reseal' | 'project',
    tenantId: string,
    hash: string,
  ): Promise<{ readonly leaf: LoggedLeaf | null } | null>;

  /** Deletions that the log does not have yet. */
  openDeletions(limit: number): Promise<readonly OpenDeletion[]>;
  /** Stores the leaves of a deletion, once. @returns false when more was deleted concurrently */
  addDeletion(
    auditSeq: number,
    covered: number,
    leaves: readonly { readonly tenantId: string; readonly leaf: NewLeaf }[],
  ): Promise<boolean>;
}
