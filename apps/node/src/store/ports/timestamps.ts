import type { CertificateRecord } from './certificate-record.js';

/** A record without an external timestamp: its position, and the columns that store timestamps. */
export interface UntimestampedRecord extends Pick<
  CertificateRecord,
  'certificateHash' | 'metaJson' | 'publicCerJson' | 'resealedCertificateHash'
> {
  readonly seq: number;
}

/** A record with its timestamps, and its state as read without them. */
export interface TimestampedRecord extends Pick<CertificateRecord, 'metaJson' | 'publicCerJson'> {
  readonly asRead: UntimestampedRecord;
}

/** A registered project whose receipt has no external timestamp. */
export interface UntimestampedProject {
  readonly seq: number;
  readonly projectHash: string;
  readonly receiptJson: string;
  readonly signature: string;
}

/** The timestamps of a project's receipt: a JSON array. */
export interface TimestampedProject {
  readonly seq: number;
  readonly timestampsJson: string;
}

/** External timestamps of records and projects. */
export interface TimestampStore {
  /** Undeleted records without an external timestamp whose `seq` is above `after`, in order. */
  untimestamped(after: number, limit: number): Promise<readonly UntimestampedRecord[]>;
  /**
   * Stores timestamps and removes their records from that list, in one commit. Records attested again, timestamped or
   * deleted since they were read are not changed.
   * @param timestampedAt the node's time: ISO 8601, UTC, milliseconds, `Z`
   */
  keep(timestamped: readonly TimestampedRecord[], timestampedAt: string): Promise<void>;

  /** As `untimestamped`, of registered projects. */
  untimestampedProjects(after: number, limit: number): Promise<readonly UntimestampedProject[]>;
  /** As `keep`; the first timestamps of a project are final. */
  keepOfProjects(timestamped: readonly TimestampedProject[]): Promise<void>;
  /** The JSON array of a project's timestamps; null without one. */
  ofProject(tenantId: string, projectHash: string): Promise<string | null>;
}
