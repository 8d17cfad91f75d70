import type { StoredFrontier, TileRow } from './log.js';

/** The tree of a tenant's leaves as the last epoch left it. */
export interface TenantTree extends StoredFrontier {
  readonly treeId: number;
  readonly tenantId: string;
  readonly tag: Uint8Array;
}

/** The head of a tenant's tree in an epoch. */
export interface EpochHead {
  readonly tenantId: string;
  readonly tag: Uint8Array;
  readonly size: number;
  readonly root: Uint8Array;
}

export interface StoredEpoch {
  readonly epoch: number;
  readonly entry: Uint8Array;
  /** End of the epoch: ISO 8601, UTC, milliseconds, `Z`. */
  readonly to: string;
}

/** The next epoch, and the head of its log with it. */
export interface EpochGrowth {
  readonly logId: number;
  readonly oldSize: number;
  readonly frontier: StoredFrontier;
  readonly epoch: StoredEpoch;
  readonly tiles: readonly TileRow[];
  /** Those that changed since the epoch before. */
  readonly heads: readonly EpochHead[];
}

/** Trees of tenants, and epochs. `logId` of trees is that of the receipts log, of epochs that of the epochs log. */
export interface LogEpochStore {
  /** Tenants with leaves from `start` up to and without `end`, and how many leaves each has below `end`. */
  grown(
    logId: number,
    start: number,
    end: number,
  ): Promise<readonly { readonly tenantId: string; readonly size: number }[]>;
  /** The tree of a tenant, empty for a tenant without leaves. */
  tree(logId: number, tenantId: string, tag: Uint8Array): Promise<TenantTree>;
  /** @returns false when the tree has another size: nothing was written */
  growTree(tree: TenantTree, frontier: StoredFrontier, tiles: readonly TileRow[]): Promise<boolean>;
  /** The trees of all tenants. */
  trees(logId: number): Promise<readonly TenantTree[]>;

  /** @returns false when the epochs log has another size: nothing was written */
  grow(growth: EpochGrowth): Promise<boolean>;
  /** Epochs by index, from `start` up to and without `end`. */
  epochs(logId: number, start: number, end: number): Promise<readonly StoredEpoch[]>;
  /** The first epoch that ends at or after a time, and the last that ends at or before it; null without one. */
  firstTo(logId: number, time: string, below: number): Promise<StoredEpoch | null>;
  lastTo(logId: number, time: string, below: number): Promise<StoredEpoch | null>;
  /** The heads of all tenants as of an epoch. */
  headsAt(logId: number, epoch: number): Promise<readonly EpochHead[]>;
}
