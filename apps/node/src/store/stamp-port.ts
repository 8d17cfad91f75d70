import type { CertificateRecord } from './certificate-record.js';

/** Where a record is found, without its JSON. */
export interface UnstampedRecord extends Pick<CertificateRecord, 'tenantId' | 'certificateHash' | 'kind'> {
  readonly seq: number;
}

/** Which records an external authority has stamped. */
export interface StampStore {
  /** Records without external timestamp whose `seq` is above `after`, in order; deleted ones never. */
  unstamped(after: number, limit: number): Promise<readonly UnstampedRecord[]>;
  /** Takes a record off that list, unless it was attested anew since it was read. */
  markStamped(asRead: CertificateRecord, stampedAt: string): Promise<void>;
}
