import type { HeldKind } from './legal-holds.js';
import type { RecordPlace } from './record-list.js';

/** An item past its tenant's retention period. */
export interface DueItem {
  readonly seq: number;
  /** Hash of the certificate or the project. */
  readonly hash: string;
}

/** A batch of due items, small enough for a quick deletion. */
export interface DueBatch {
  /** Without those under a legal hold. */
  readonly due: readonly DueItem[];
  /** Position to continue after; null when no later item is due. */
  readonly next: RecordPlace | null;
}

export interface RetentionStore {
  /** The database's clock, which all nodes share, in milliseconds since 1970. */
  clockMs(): Promise<number>;
  /** A tenant's oldest items first attested, or registered, before a time and positioned after `after`. */
  due(kind: HeldKind, tenantId: string, before: string, after: RecordPlace | null): Promise<DueBatch>;
  /**
   * Erases those that are not deleted yet and not under a hold at that moment. Their execution rows stay.
   * @param auditSeq of the audit entry of the deletion, for the log
   * @returns the number of erased items
   */
  deleteDue(kind: HeldKind, due: readonly DueItem[], auditSeq: number): Promise<number>;
}
