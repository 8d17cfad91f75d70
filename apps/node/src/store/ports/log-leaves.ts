/** The source of a leaf; this and `seq` identify its row. */
export type LeafSource = 'record' | 'reseal' | 'project' | 'deletion';

/** A leaf to store in the transaction of its record or project. @see docs/spec.md, "Transparency log" */
export interface NewLeaf {
  readonly source: LeafSource;
  /** The label without number and tenant, as JSON. */
  readonly labelJson: string;
  /** SHA-256 of what was signed. */
  readonly digest: Uint8Array;
  /** 32 random bytes of this leaf alone. */
  readonly seed: Uint8Array;
}

/** A stored leaf without a place in the log. */
export interface PendingLeaf {
  readonly leafId: number;
  readonly tenantId: string;
  readonly labelJson: string;
  readonly digest: Uint8Array;
  readonly seed: Uint8Array;
}

/** A leaf with its place; `content` is null once its record was deleted. */
export interface LoggedLeaf {
  /** Whether an act of deletion is stored for it, which gets its own leaf. */
  readonly isDeleted: boolean;
  readonly tenantId: string;
  readonly source: LeafSource;
  readonly sourceSeq: number;
  readonly logId: number;
  readonly index: number;
  /** Counts the leaves of the tenant from 1. */
  readonly number: number;
  readonly entry: Uint8Array;
  readonly content: Pick<PendingLeaf, 'labelJson' | 'digest' | 'seed'> | null;
}
