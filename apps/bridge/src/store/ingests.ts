import type { Database } from '@cer/sql-store';
import type { Ingest, IngestStore, Throughput } from './ports.js';

const HOUR_MINUTES = 60;
const MINUTE_MS = 60_000;
/** Columns times rows stays below what one statement of either database takes. */
const ROWS_PER_STATEMENT = 100;

interface IngestRow {
  readonly tenant_id: string;
  readonly at: string;
  readonly source: Ingest['source'];
  readonly outcome: Ingest['outcome'];
  readonly status: number;
  readonly execution_id: string | null;
  readonly provider: string | null;
  readonly model: string | null;
  readonly certificate_hash: string | null;
  readonly submitted_hash: string | null;
  readonly verification_url: string | null;
  readonly reason: string | null;
}

interface MinuteRow {
  readonly minute: string;
  readonly certified: number | string;
  readonly refused: number | string;
}

/** Recently received executions. */
export class SqlIngestStore implements IngestStore {
  readonly #database: Database;
  readonly #now: () => Date;

  constructor(database: Database, now: () => Date) {
    this.#database = database;
    this.#now = now;
  }

  async record(
    tenantId: string,
    ingests: readonly Ingest[],
    { certified, refused }: { readonly certified: number; readonly refused: number },
  ): Promise<void> {
    const minute = this.#now().toISOString().slice(0, 16);
    await this.#database.transaction(async (db) => {
      await db.raw(
        `insert into ingest_minutes (tenant_id, minute, certified, refused) values (?, ?, ?, ?)
         on conflict (tenant_id, minute) do update set
           certified = ingest_minutes.certified + excluded.certified,
           refused = ingest_minutes.refused + excluded.refused`,
        [tenantId, minute, certified, refused],
      );
      const rows = ingests.map((ingest) => rowOf(tenantId, ingest));
      for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT) {
        await db('ingests').insert(rows.slice(at, at + ROWS_PER_STATEMENT));
      }
    });
  }

  async newest(tenantId: string, limit: number, outcome?: Ingest['outcome']): Promise<readonly Ingest[]> {
    const rows: readonly IngestRow[] = await this.#database.run(async (db) => {
      const query = db<IngestRow & { readonly seq: number }>('ingests').where('tenant_id', tenantId);
      return (outcome === undefined ? query : query.where('outcome', outcome)).orderBy('seq', 'desc').limit(limit);
    });
    return rows.map(ingestOf);
  }

  async throughput(tenantId: string): Promise<Throughput> {
    const now = this.#now().getTime();
    const since = (minutes: number): string => new Date(now - minutes * MINUTE_MS).toISOString().slice(0, 16);
    const rows: readonly MinuteRow[] = await this.#database.run(async (db) =>
      db('ingest_minutes').where('tenant_id', tenantId).where('minute', '>', since(HOUR_MINUTES)).select(),
    );
    const sum = (name: 'certified' | 'refused', minutes: number): number =>
      rows.filter(({ minute }) => minute > since(minutes)).reduce((total, row) => total + Number(row[name]), 0);
    return {
      certifiedLastMinute: sum('certified', 1),
      refusedLastMinute: sum('refused', 1),
      certifiedLastHour: sum('certified', HOUR_MINUTES),
      refusedLastHour: sum('refused', HOUR_MINUTES),
    };
  }
}

function rowOf(tenantId: string, ingest: Ingest): IngestRow {
  return {
    tenant_id: tenantId,
    at: ingest.at,
    source: ingest.source,
    outcome: ingest.outcome,
    status: ingest.status,
    execution_id: ingest.executionId,
    provider: ingest.provider,
    model: ingest.model,
    certificate_hash: ingest.certificateHash,
    submitted_hash: ingest.submittedHash,
    verification_url: ingest.verificationUrl,
    reason: ingest.reason,
  };
}

function ingestOf(row: IngestRow): Ingest {
  return {
    at: row.at,
    source: row.source,
    outcome: row.outcome,
    status: row.status,
    executionId: row.execution_id,
    provider: row.provider,
    model: row.model,
    certificateHash: row.certificate_hash,
    submittedHash: row.submitted_hash,
    verificationUrl: row.verification_url,
    reason: row.reason,
  };
}
