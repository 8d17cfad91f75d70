import { randomBytes, randomUUID } from 'node:crypto';
import { StoreError, StoreUnwritableError } from '../ports/store-error.js';

/** Size of the probe's row, about that of a record; random, so that no database stores it in less. */
const FILLER_BYTES = 6 * 1024;
/** SQLite's and PostgreSQL's codes for a disk without room. */
const DISK_FULL = /^(SQLITE_FULL|ENOSPC|53100)$/;
/** SQLite's and PostgreSQL's codes for damaged tables and indexes. */
const DAMAGED = /^(SQLITE_CORRUPT|SQLITE_NOTADB|XX001|XX002)/;

/**
 * Whether the database takes writes: what its last write showed. A failed statement of any kind counts, since it may
 * have been a write; only a successful write clears it.
 */
export class WriteHealth {
  #failure: StoreError | null = null;
  #isDamaged = false;

  noteSuccess(): void {
    this.#failure = null;
  }

  /** @returns the error */
  noteFailure(error: StoreError): StoreError {
    if (error.code === 'STORE_UNAVAILABLE') this.#failure = error;
    return error;
  }

  /** Runs a commit of records. Damage that it meets ends with a later success only: no probe touches the same pages. */
  async recording<T>(commit: () => Promise<T>): Promise<T> {
    try {
      const result = await commit();
      this.#isDamaged = false;
      return result;
    } catch (error) {
      if (error instanceof StoreError && DAMAGED.test(error.driverCode ?? '')) this.#isDamaged = true;
      throw error;
    }
  }

  /**
   * After a failed write, writes a row of the size of a record and removes it.
   * @throws StoreUnwritableError when that fails too, or records meet damage
   */
  async prove(run: (sql: string, values: readonly string[]) => Promise<unknown>): Promise<void> {
    if (this.#isDamaged) throw new StoreUnwritableError('is damaged');
    if (this.#failure === null) return;
    try {
      const filler = randomBytes(FILLER_BYTES).toString('base64');
      await run('insert into write_probes (probe_id, filler) values ($1, $2)', [randomUUID(), filler]);
      // The probes of other nodes too: each has written its own by then, or finds nothing to remove.
      await run('delete from write_probes', []);
      this.#failure = null;
    } catch {
      // A later write may have succeeded in between.
      const failure: StoreError | null = this.#failure;
      if (failure === null) return;
      throw new StoreUnwritableError(
        DISK_FULL.test(failure.driverCode ?? '') ? 'the disk is full' : 'cannot be written',
      );
    }
  }
}
