/** Leases for work that only one process may do at a time. Uses the database's clock. */
export interface LeaseStore {
  /** Acquires a free or expired lease, or renews the holder's. @returns whether the holder has it */
  acquire(name: string, holder: string, forMs: number): Promise<boolean>;
  /** Releases the lease; no effect on the lease of another holder. */
  release(name: string, holder: string): Promise<void>;
}
