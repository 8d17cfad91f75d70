import type { Database } from './database.js';
import { text, textOrNull } from './record-rows.js';
import { retryPassing } from './retry.js';
import type {
  TimestampedProject,
  TimestampedRecord,
  TimestampStore,
  UntimestampedProject,
  UntimestampedRecord,
} from '../ports/timestamps.js';

/** Exported so that a test can check the query plan. */
export const FIND_UNSTAMPED = `
  select seq, certificate_hash, meta_json, public_cer_json, resealed_certificate_hash from records
  where stamped_at is null and visibility <> 'deleted' and seq > $1 order by seq limit $2`;

// A new timestamp or attestation changes `meta_json`, and a deleted record has none.
const KEEP_STAMPED = `
  update records set meta_json = $4, public_cer_json = $5, stamped_at = $6
  where seq = $1 and meta_json = $2 and coalesce(public_cer_json, '') = $3`;

/** Exported for the same test. */
export const FIND_UNSTAMPED_PROJECTS = `
  select seq, project_hash, receipt_json, signature from projects
  where timestamps_json is null and visibility <> 'deleted' and seq > $1 order by seq limit $2`;

const KEEP_STAMPED_PROJECT = `
  update projects set timestamps_json = $2 where seq = $1 and timestamps_json is null and visibility <> 'deleted'`;

const FIND_OF_PROJECT = `
  select timestamps_json from projects where project_hash = $2 and tenant_id = $1 and visibility <> 'deleted'`;

/** The timestamp port on either database. */
export class SqlTimestampStore implements TimestampStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async untimestamped(after: number, limit: number): Promise<readonly UntimestampedRecord[]> {
    const rows = await retryPassing(() => this.#database.all(FIND_UNSTAMPED, [after, limit]));
    return rows.map((row) => ({
      // PostgreSQL returns a 64-bit number as text.
      seq: Number(row['seq']),
      certificateHash: text(row, 'certificate_hash'),
      metaJson: text(row, 'meta_json'),
      publicCerJson: textOrNull(row, 'public_cer_json'),
      resealedCertificateHash: textOrNull(row, 'resealed_certificate_hash'),
    }));
  }

  async keep(timestamped: readonly TimestampedRecord[], timestampedAt: string): Promise<void> {
    if (timestamped.length === 0) return;
    const statements = timestamped.map(({ asRead, metaJson, publicCerJson }) => ({
      sql: KEEP_STAMPED,
      values: [asRead.seq, asRead.metaJson, asRead.publicCerJson ?? '', metaJson, publicCerJson, timestampedAt],
    }));
    await retryPassing(() => this.#database.transact(statements));
  }

  async untimestampedProjects(after: number, limit: number): Promise<readonly UntimestampedProject[]> {
    const rows = await retryPassing(() => this.#database.all(FIND_UNSTAMPED_PROJECTS, [after, limit]));
    return rows.map((row) => ({
      seq: Number(row['seq']),
      projectHash: text(row, 'project_hash'),
      receiptJson: text(row, 'receipt_json'),
      signature: text(row, 'signature'),
    }));
  }

  async keepOfProjects(timestamped: readonly TimestampedProject[]): Promise<void> {
    if (timestamped.length === 0) return;
    const statements = timestamped.map(({ seq, timestampsJson }) => ({
      sql: KEEP_STAMPED_PROJECT,
      values: [seq, timestampsJson],
    }));
    await retryPassing(() => this.#database.transact(statements));
  }

  async ofProject(tenantId: string, projectHash: string): Promise<string | null> {
    const [row] = await retryPassing(() => this.#database.all(FIND_OF_PROJECT, [tenantId, projectHash]));
    return row === undefined ? null : textOrNull(row, 'timestamps_json');
  }
}
