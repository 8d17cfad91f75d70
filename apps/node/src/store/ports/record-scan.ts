import type { CertificateRecord } from './certificate-record.js';

/** A record and its position in storage order. */
export interface ScannedRecord {
  readonly seq: number;
  readonly record: CertificateRecord;
}

/** Records of all tenants, for administrative acts, including hidden but not deleted ones. */
export interface RecordScan {
  /** Every record of this original hash, of any tenant and kind. */
  withHash(certificateHash: string): Promise<readonly ScannedRecord[]>;

  /**
   * The next records after a position (0: from the start), in order.
   * @param attestedBefore only those whose newest attestation is older; null for all
   */
  after(seq: number, attestedBefore: string | null, limit: number): Promise<readonly ScannedRecord[]>;
}
