import type { Database } from './database.js';
import { text, textOrNull } from './record-rows.js';
import { retryPassing } from './retry.js';
import type { StampedRecord, StampStore, UnstampedRecord } from './stamp-port.js';

/** Exported so that a test can ask the database whether it reads an index. */
export const FIND_UNSTAMPED = `
  select seq, certificate_hash, meta_json, public_cer_json, resealed_certificate_hash from records
  where stamped_at is null and visibility <> 'deleted' and seq > $1 order by seq limit $2`;

// Whoever stamps or attests anew changes `meta_json`, and a deleted record has none.
const KEEP_STAMPED = `
  update records set meta_json = $4, public_cer_json = $5, stamped_at = $6
  where seq = $1 and meta_json = $2 and coalesce(public_cer_json, '') = $3`;

/** Which records were stamped, on either database. */
export class SqlStampStore implements StampStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async unstamped(after: number, limit: number): Promise<readonly UnstampedRecord[]> {
    const rows = await retryPassing(() => this.#database.all(FIND_UNSTAMPED, [after, limit]));
    return rows.map((row) => ({
      // PostgreSQL answers a 64-bit number as text.
      seq: Number(row['seq']),
      certificateHash: text(row, 'certificate_hash'),
      metaJson: text(row, 'meta_json'),
      publicCerJson: textOrNull(row, 'public_cer_json'),
      resealedCertificateHash: textOrNull(row, 'resealed_certificate_hash'),
    }));
  }

  async keep(stamped: readonly StampedRecord[], stampedAt: string): Promise<void> {
    if (stamped.length === 0) return;
    const statements = stamped.map(({ asRead, metaJson, publicCerJson }) => ({
      sql: KEEP_STAMPED,
      values: [asRead.seq, asRead.metaJson, asRead.publicCerJson ?? '', metaJson, publicCerJson, stampedAt],
    }));
    await retryPassing(() => this.#database.transact(statements));
  }
}
