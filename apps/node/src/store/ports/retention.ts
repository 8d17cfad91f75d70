import type { HeldKind } from './legal-holds.js';
import type { RecordPlace } from './record-list.js';

/** Something that its tenant keeps no longer. */
export interface DueItem {
  readonly seq: number;
  /** Of the certificate or the project. */
  readonly hash: string;
}

/** A few things that are due, few enough to be deleted in a moment. */
export interface DueBatch {
  /** Without those that are held. */
  readonly due: readonly DueItem[];
  /** Where to go on; null when nothing older than the given time comes after. */
  readonly next: RecordPlace | null;
}

export interface RetentionStore {
  /** The database's own clock, which all nodes share, in milliseconds since 1970. */
  clockMs(): Promise<number>;
  /** A tenant's oldest that were first attested, or registered, before a time, those past `after`. */
  due(kind: HeldKind, tenantId: string, before: string, after: RecordPlace | null): Promise<DueBatch>;
  /**
   * Erases those of them that are not deleted yet and, at that moment, not held. Their execution rows stay.
   * @returns how many
   */
  deleteDue(kind: HeldKind, due: readonly DueItem[]): Promise<number>;
}
