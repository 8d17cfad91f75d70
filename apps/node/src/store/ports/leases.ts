/** Who of several processes does what only one may do at a time. The clock is the database's. */
export interface LeaseStore {
  /** Takes a free or expired lease, or renews the holder's own. @returns whether the holder has it now */
  acquire(name: string, holder: string, forMs: number): Promise<boolean>;
  /** Gives it back; of another holder's lease nothing happens. */
  release(name: string, holder: string): Promise<void>;
}
