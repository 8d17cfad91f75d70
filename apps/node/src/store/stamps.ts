import type { Database } from './database.js';
import type { CertificateRecord } from './ports.js';
import { text } from './record-rows.js';
import { retryPassing } from './retry.js';
import type { StampStore, UnstampedRecord } from './stamp-port.js';

/** Exported so that a test can ask the database whether it reads an index. */
export const FIND_UNSTAMPED = `
  select seq, tenant_id, certificate_hash, kind from records
  where stamped_at is null and visibility <> 'deleted' and seq > $1 order by seq limit $2`;

const MARK_STAMPED = `
  update records set stamped_at = $5
  where certificate_hash = $2 and kind = $3 and tenant_id = $1 and attestation_id = $4
  returning seq`;

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
      tenantId: text(row, 'tenant_id'),
      certificateHash: text(row, 'certificate_hash'),
      kind: text(row, 'kind') === 'full' ? 'full' : 'hash-only',
    }));
  }

  async markStamped(asRead: CertificateRecord, stampedAt: string): Promise<void> {
    const { tenantId, certificateHash, kind, attestationId } = asRead;
    const values = [tenantId, certificateHash, kind, attestationId, stampedAt];
    await retryPassing(() => this.#database.all(MARK_STAMPED, values));
  }
}
