import type { CertificateRecord } from './certificate-record.js';

/** A record without external timestamp: where it stands, and the columns that a timestamp goes into. */
export interface UnstampedRecord extends Pick<
  CertificateRecord,
  'certificateHash' | 'metaJson' | 'publicCerJson' | 'resealedCertificateHash'
> {
  readonly seq: number;
}

/** A record with its timestamps, and as it was read without them. */
export interface StampedRecord extends Pick<CertificateRecord, 'metaJson' | 'publicCerJson'> {
  readonly asRead: UnstampedRecord;
}

/** A registered project whose receipt has no external timestamp. */
export interface UnstampedProject {
  readonly seq: number;
  readonly projectHash: string;
  readonly receiptJson: string;
  readonly signature: string;
}

/** The timestamps of a project's receipt: a JSON array. */
export interface StampedProject {
  readonly seq: number;
  readonly timestampsJson: string;
}

/** Which records and projects an external authority has stamped. */
export interface StampStore {
  /** Records without external timestamp whose `seq` is above `after`, in order; deleted ones never. */
  unstamped(after: number, limit: number): Promise<readonly UnstampedRecord[]>;
  /**
   * Writes timestamps and takes their records off that list, all in one commit. A record that was attested anew, stamped
   * or deleted since it was read stays as it is.
   * @param stampedAt the node's time: ISO 8601, UTC, milliseconds, `Z`
   */
  keep(stamped: readonly StampedRecord[], stampedAt: string): Promise<void>;

  /** As `unstamped`, of registered projects. */
  unstampedProjects(after: number, limit: number): Promise<readonly UnstampedProject[]>;
  /** As `keep`; a project has the first timestamps it got for good. */
  keepOfProjects(stamped: readonly StampedProject[]): Promise<void>;
  /** The JSON array of a project's timestamps; null while it has none. */
  ofProject(tenantId: string, projectHash: string): Promise<string | null>;
}
