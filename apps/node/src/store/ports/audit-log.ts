/** One stored entry of the audit log. */
export interface AuditRow {
  readonly seq: number;
  /** The canonical, hashed entry. */
  readonly entryJson: string;
  readonly hash: string;
  readonly kid: string;
  readonly signature: string;
}

/** Append-only; the database refuses to change or remove a row. */
export interface AuditStore {
  /** @returns false when `seq` is taken by another row: read the last one again */
  append(row: AuditRow): Promise<boolean>;
  /** The newest row; null for an empty log. */
  last(): Promise<AuditRow | null>;
  /** The rows after `seq`, in order, at most `limit`. */
  after(seq: number, limit: number): Promise<readonly AuditRow[]>;
}
