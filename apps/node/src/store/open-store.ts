import { ofOwner, ownerOf } from '@cer/sql-store';
import { REFUSED_STATEMENT } from '@cer/sql-store/driver-code';
import { SqlAlertStore } from './sql/alerts.js';
import { SqlAuditStore } from './sql/audit-log.js';
import { SqlCoverageStore } from './sql/coverage.js';
import { SqlRecordCounts } from './sql/record-counts.js';
import type { Database } from './sql/database.js';
import { GroupCommit } from './sql/group-commit.js';
import { SqlLeaseStore } from './sql/leases.js';
import { SqlLegalHoldStore } from './sql/legal-holds.js';
import { SqlLogStore } from './sql/log.js';
import { SqlLogEpochStore } from './sql/log-epochs.js';
import { SqlLogNoteStore } from './sql/log-notes.js';
import { SqlLogRecoveryStore } from './sql/log-recovery.js';
import { compiledMigrations, MIGRATIONS } from './migrations/index.js';
import type { Migration } from './migrations/migration.js';
import type { RatePoints } from './ports/rate-points.js';
import type { NewRecord } from './ports/records.js';
import type { Store } from './ports/store.js';
import { PostgresDatabase } from './postgres/postgres-database.js';
import { SqlProjectStore } from './sql/projects.js';
import { SqlQuotaStore } from './sql/quotas.js';
import { ratePointsOn } from './sql/rate-points.js';
import { recordKey, text } from './sql/record-rows.js';
import { SqlRecordFacts } from './sql/record-facts.js';
import { SqlRecordList } from './sql/record-list.js';
import { SqlRecordScan } from './sql/record-scan.js';
import { SqlRecordStore } from './sql/records.js';
import { SqlRetentionStore } from './sql/retention.js';
import { retryPassing } from './sql/retry.js';
import { SqliteDatabase } from './sqlite/sqlite-database.js';
import { ThreadedDatabase } from './sqlite/threaded-database.js';
import { SqlSigningKeyStore } from './sql/signing-keys.js';
import { SqlStoreMark } from './sql/store-mark.js';
import { SqlTimestampStore } from './sql/timestamps.js';
import { StoreError } from './ports/store-error.js';
import { SqlTenantSettingsStore } from './sql/tenant-settings.js';
import { SqlTenantStore } from './sql/tenants.js';
import { SqlUsageStore } from './sql/usage-reports.js';
import { SqlWebhookStore } from './sql/webhooks.js';

/**
 * How new records share commits. SQLite commits in one step, and more rows a commit do not improve its throughput. On
 * PostgreSQL batches wait for the network and the disk in turn: several small ones under way are faster than a large one.
 */
const BATCHES: Readonly<Record<Database['dialect'], { readonly batchLimit: number; readonly inFlightLimit: number }>> =
  {
    sqlite: { batchLimit: 256, inFlightLimit: 1 },
    postgres: { batchLimit: 64, inFlightLimit: 3 },
  };

/** The schema that brought the log. */
const LOG_SCHEMA = 12;
const SECRET_IDS =
  'select commitment_secret_id as secret_id from commitment_secrets union select secret_id from webhooks';
const ANY_LOG = 'select 1 from log_keys limit 1';

export interface StoreOptions {
  /** `sqlite:PATH`, created if missing, or `postgres://...`. */
  readonly databaseUrl: string;
  /** Maximum new records waiting for their commit; further calls are refused as busy. */
  readonly queueLimit: number;
  /** The clock for rows that the store dates: tenants and API keys. */
  readonly now?: () => Date;
  /** The schema of another release; for tests of two releases on one database. */
  readonly migrations?: readonly Migration[];
  /** Replaces the database of the stores; for tests that end a process at one of its statements. */
  readonly replaceDatabase?: (database: Database) => Database;
  /** Timeout of the shared count of a rate limit; for tests on a loaded machine. */
  readonly rateAnswerWithinMs?: number;
  /** The other processes of this node; absent: it is one process. */
  readonly siblings?: Siblings | undefined;
  /** Present: a separate thread writes to the SQLite file. */
  readonly writerThread?: WriterThread | undefined;
}

export interface WriterThread {
  /** Arguments of Node.js for the thread; for tests on sources. */
  readonly execArgv?: readonly string[];
}

/** Coordination of the node's processes that share a SQLite file. */
export interface Siblings {
  readonly points: RatePoints;
  /** Waits until no other process writes. @returns to be called when the write is done */
  readonly writeTurn: () => Promise<() => void>;
}

/**
 * Opens the node's store and brings its schema up to date.
 * @throws StoreError STORE_URL_INVALID, STORE_UNAVAILABLE, STORE_SCHEMA_TOO_NEW
 */
export async function openStore({
  databaseUrl,
  queueLimit,
  now = () => new Date(),
  migrations = MIGRATIONS,
  replaceDatabase = (database) => database,
  rateAnswerWithinMs,
  siblings,
  writerThread,
}: StoreOptions): Promise<Store> {
  const opened = await openDatabase(databaseUrl, migrations, { writeTurn: siblings?.writeTurn, writerThread });
  const { schemaVersion } = opened;
  const database = replaceDatabase(opened.database);
  const commits = new GroupCommit<NewRecord>({
    keyOf: recordKey,
    insertBatch: (records) => database.writes.recording(() => database.insertBatch(records)),
    ...BATCHES[database.dialect],
    queueLimit,
  });
  const log = { hasLog: schemaVersion >= LOG_SCHEMA && (await database.all(ANY_LOG, [])).length > 0 };
  const records = new SqlRecordStore(database, commits, log);
  return {
    records,
    projects: new SqlProjectStore(database, log),
    tenants: new SqlTenantStore(database, now),
    tenantSettings: new SqlTenantSettingsStore(database, now),
    legalHolds: new SqlLegalHoldStore(database, now),
    retention: new SqlRetentionStore(database, log),
    leases: new SqlLeaseStore(database),
    audit: new SqlAuditStore(database),
    signingKeys: new SqlSigningKeyStore(database),
    recordList: new SqlRecordList(database),
    recordFacts: new SqlRecordFacts(database),
    recordScan: new SqlRecordScan(database),
    timestamps: new SqlTimestampStore(database),
    ratePoints: ratePointsOn(database, rateAnswerWithinMs, siblings?.points),
    quotas: new SqlQuotaStore(database),
    log: new SqlLogStore(database, log),
    logEpochs: new SqlLogEpochStore(database),
    logNotes: new SqlLogNoteStore(database),
    logRecovery: new SqlLogRecoveryStore(database),
    usage: new SqlUsageStore(database),
    recordCounts: new SqlRecordCounts(database),
    mark: new SqlStoreMark(database),
    alerts: new SqlAlertStore(database),
    webhooks: new SqlWebhookStore(database),
    coverage: new SqlCoverageStore(database),
    schemaVersion,
    ping: async () => {
      await database.all('select 1', []);
      await database.writes.prove((sql, values) => database.all(sql, values));
    },
    referencedCommitmentSecretIds: async () => {
      const rows = await retryPassing(() => database.all(SECRET_IDS, []));
      return rows.map((row) => text(row, 'secret_id'));
    },
    hasRecords: async () => (await retryPassing(() => database.all('select 1 from records limit 1', []))).length > 0,
    compact: () => database.compact(),
    pendingRecords: () => commits.pending,
    close: async () => {
      await records.close();
      await database.close();
    },
  };
}

/**
 * Migrates a database and closes it.
 * @returns the resulting schema version
 * @throws StoreError as openStore
 */
export async function migrate(databaseUrl: string): Promise<number> {
  const { database, schemaVersion } = await openDatabase(databaseUrl, MIGRATIONS);
  await database.close();
  return schemaVersion;
}

interface SqliteOptions {
  readonly writeTurn?: Siblings['writeTurn'] | undefined;
  readonly writerThread?: WriterThread | undefined;
}

async function openDatabase(
  databaseUrl: string,
  steps: readonly Migration[],
  options: SqliteOptions = {},
): Promise<{ database: Database; schemaVersion: number }> {
  const database = databaseOf(databaseUrl, options);
  try {
    const migrations = compiledMigrations(database.dialect, steps);
    return { database, schemaVersion: await retryPassing(() => database.migrate(migrations)) };
  } catch (error) {
    const fault = await withOwner(error, database);
    // A file that cannot be read cannot be closed in order either, for the same reason.
    await database.close().catch(() => undefined);
    throw fault;
  }
}

/** Adds whose database it is, and what to do. */
async function withOwner(error: unknown, database: Database): Promise<unknown> {
  if (!(error instanceof StoreError)) return error;
  if (error.code !== 'STORE_SCHEMA_TOO_NEW' && !REFUSED_STATEMENT.test(error.driverCode ?? '')) return error;
  const hasTable = (table: string): Promise<boolean> =>
    database.all(`select 1 from ${table} where 1 = 0`, []).then(
      () => true,
      () => false,
    );
  return new StoreError(error.code, error.message + ofOwner(await ownerOf(hasTable)), error.driverCode);
}

function databaseOf(databaseUrl: string, { writeTurn, writerThread }: SqliteOptions): Database {
  const path = /^sqlite:(.+)$/s.exec(databaseUrl)?.[1];
  if (path !== undefined && path !== ':memory:') {
    return writerThread === undefined
      ? new SqliteDatabase(path, writeTurn)
      : new ThreadedDatabase(path, { writeTurn, execArgv: writerThread.execArgv });
  }
  if (/^postgres(ql)?:\/\//.test(databaseUrl)) return new PostgresDatabase(databaseUrl);
  throw new StoreError('STORE_URL_INVALID', 'databaseUrl: is neither sqlite:PATH nor postgres://...');
}
