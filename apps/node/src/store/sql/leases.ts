import type { Database } from './database.js';
import type { LeaseStore } from '../ports/leases.js';
import { retryPassing } from './retry.js';

/** The database's own clock in milliseconds since 1970. */
export const NOW_MS: Readonly<Record<Database['dialect'], string>> = {
  sqlite: "cast((julianday('now') - 2440587.5) * 86400000 as integer)",
  postgres: 'cast(extract(epoch from clock_timestamp()) * 1000 as bigint)',
};

/** Leases for work that only one process may do at a time. */
export class SqlLeaseStore implements LeaseStore {
  readonly #database: Database;
  readonly #acquire: string;

  constructor(database: Database) {
    this.#database = database;
    const now = NOW_MS[database.dialect];
    this.#acquire = `
      insert into leases (name, holder, expires_ms) values ($1, $2, ${now} + $3)
      on conflict (name) do update set holder = excluded.holder, expires_ms = excluded.expires_ms
      where leases.holder = excluded.holder or leases.expires_ms <= ${now}
        -- From before the clock was set back. By more than a lease: a statement that waited for this one's row read the
        -- clock before it did.
        or leases.expires_ms > excluded.expires_ms + $3
      returning name`;
  }

  async acquire(name: string, holder: string, forMs: number): Promise<boolean> {
    const rows = await retryPassing(() => this.#database.all(this.#acquire, [name, holder, forMs]));
    return rows.length > 0;
  }

  async release(name: string, holder: string): Promise<void> {
    await retryPassing(() => this.#database.all('delete from leases where name = $1 and holder = $2', [name, holder]));
  }
}
