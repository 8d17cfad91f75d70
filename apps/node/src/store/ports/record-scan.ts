import type { CertificateRecord } from './certificate-record.js';

/** A record and its place in the order in which records were kept. */
export interface ScannedRecord {
  readonly seq: number;
  readonly record: CertificateRecord;
}

/** Records of all tenants, for acts of an administrator. Hidden ones are among them, deleted ones are not. */
export interface RecordScan {
  /** Every record of this original hash, whichever tenant and kind. */
  withHash(certificateHash: string): Promise<readonly ScannedRecord[]>;

  /**
   * The next records after a place (0: from the start), in order.
   * @param attestedBefore only those whose newest attestation is older; null for all
   */
  after(seq: number, attestedBefore: string | null, limit: number): Promise<readonly ScannedRecord[]>;
}
