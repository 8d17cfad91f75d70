import type { CertificateRecord, RecordKind, Visibility } from './certificate-record.js';

/** Which records of a tenant are meant. Left out means any. */
export interface RecordFilter {
  readonly tenantId: string;
  readonly appId?: string;
  readonly bundleType?: string;
  readonly status?: Exclude<Visibility, 'deleted'>;
  /** First attested at this time or later: ISO 8601, UTC, milliseconds, `Z`. */
  readonly attestedFrom?: string;
  /** First attested before this time. */
  readonly attestedTo?: string;
}

/** Where a record stands in the list: it never moves, neither when it is attested anew nor when it is hidden. */
export interface RecordPlace {
  /** When it was first attested. */
  readonly time: string;
  readonly seq: number;
}

/** A set of records that nothing is added to any more. */
export interface RecordSnapshot {
  readonly lastSeq: number;
}

/** A record without its content. */
export interface ListedRecord extends Omit<
  CertificateRecord,
  'tenantId' | 'requestId' | 'bundleJson' | 'metaJson' | 'publicCerJson'
> {
  readonly firstAttestedAt: string;
}

export interface WholeRecord {
  readonly record: CertificateRecord;
  readonly firstAttestedAt: string;
}

/** A tenant's own records in the order in which they were first attested. Hidden ones are in it, deleted ones are not. */
export interface RecordList {
  /** Where one of the tenant's records stands, deleted or not; null when the tenant never had it. */
  place(tenantId: string, certificateHash: string, kind: RecordKind): Promise<RecordPlace | null>;

  /** At most `limit` records, those past `after` in this order. */
  page(
    filter: RecordFilter,
    order: 'oldest' | 'newest',
    after: RecordPlace | null,
    limit: number,
  ): Promise<readonly ListedRecord[]>;

  /**
   * Everything that is recorded now; what is recorded later is never in it.
   * @throws StoreError STORE_CONTENDED when another transaction keeps rows back for seconds
   */
  snapshot(): Promise<RecordSnapshot>;

  /**
   * Every record of a snapshot, oldest first, a hundred in memory at a time. What is deleted before its turn is left out.
   * Stopping early is fine.
   */
  all(filter: RecordFilter, snapshot: RecordSnapshot): AsyncGenerator<WholeRecord>;
}
