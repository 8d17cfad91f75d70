import type { CertificateRecord, RecordKind, Visibility } from './certificate-record.js';

/** Filter for a tenant's records. Absent members match any. */
export interface RecordFilter {
  readonly tenantId: string;
  readonly appId?: string;
  readonly bundleType?: string;
  readonly provider?: string;
  readonly model?: string;
  readonly protocolVersion?: string;
  /** Only records with an external timestamp. */
  readonly timestamped?: true;
  /** Only records with a place in the transparency log. */
  readonly logProof?: true;
  /** Of the certificate or of its reseal. */
  readonly certificateHash?: string;
  readonly executionId?: string;
  /** Only human reviews of this certificate or project. */
  readonly reviewedHash?: string;
  /** Only the steps of this project of the tenant. */
  readonly projectHash?: string;
  readonly status?: Exclude<Visibility, 'deleted'>;
  /** First attested at this time or later: ISO 8601, UTC, milliseconds, `Z`. */
  readonly attestedFrom?: string;
  /** First attested before this time. */
  readonly attestedTo?: string;
}

/** Position of a record in the list; it does not change when the record is attested again or hidden. */
export interface RecordPlace {
  /** Time of its first attestation. */
  readonly time: string;
  readonly seq: number;
}

/** A fixed set of records. */
export interface RecordSnapshot {
  readonly lastSeq: number;
}

/** A record without its content. */
export interface ListedRecord extends Omit<
  CertificateRecord,
  'tenantId' | 'requestId' | 'bundleJson' | 'metaJson' | 'publicCerJson'
> {
  readonly firstAttestedAt: string;
  /** Time of its external timestamp; null without one. */
  readonly timestampedAt: string | null;
}

export interface WholeRecord {
  readonly record: CertificateRecord;
  readonly firstAttestedAt: string;
}

/** A tenant's own records in order of their first attestation, including hidden but not deleted ones. */
export interface RecordList {
  /** Position of one of the tenant's records, deleted or not; null when the tenant never had it. */
  place(tenantId: string, certificateHash: string, kind: RecordKind): Promise<RecordPlace | null>;

  /** At most `limit` records, those past `after` in this order. */
  page(
    filter: RecordFilter,
    order: 'oldest' | 'newest',
    after: RecordPlace | null,
    limit: number,
  ): Promise<readonly ListedRecord[]>;

  /** How many records there are, up to a number near `limit` at which counting ends. */
  count(filter: RecordFilter, limit: number): Promise<number>;

  /** Whether a record of an earlier release is not found by provider and model yet. */
  isUndescribed(): Promise<boolean>;

  /**
   * A snapshot of all current records, without later ones.
   * @throws StoreError STORE_CONTENDED when another transaction does not end for seconds
   */
  snapshot(): Promise<RecordSnapshot>;

  /**
   * Every record of a snapshot, oldest first, a hundred in memory at a time. Records deleted before their turn are
   * skipped. The caller may stop early.
   */
  all(filter: RecordFilter, snapshot: RecordSnapshot): AsyncGenerator<WholeRecord>;
}
