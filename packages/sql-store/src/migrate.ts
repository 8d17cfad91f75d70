import type { Knex } from 'knex';
import type { Database } from './database.js';
import { driverCodeOf, REFUSED_STATEMENT } from './driver-code.js';
import { ofOwner, ownerOf } from './owner.js';
import { StoreError } from './store-error.js';

/**
 * One step of the schema. Released steps are never edited; a change is a new step at the end. It only adds, since
 * instances of the previous release run on it until they are replaced.
 */
export interface Migration {
  /** From 1, rising. */
  readonly version: number;
  readonly up: (schema: Knex.SchemaBuilder) => Knex.SchemaBuilder;
}

const VERSIONS = 'schema_versions';
/**
 * The row of this version represents no step. It is the lock: a process that migrates holds a write lock on it until its
 * transaction ends, also by a crash. A row works where advisory locks do not: databases that speak PostgreSQL's
 * protocol without having them, and connection poolers that give each transaction another connection.
 */
const LOCK_ROW = 0;

/**
 * Brings the schema up to date. Any number of processes may do so at once: one migrates, the others wait for it. A
 * database that is up to date is only read, so a role that may not change tables can start on it.
 * @param migrations every step of this release, in order
 * @returns the version of the schema; 0 without migrations
 * @throws StoreError STORE_SCHEMA_TOO_NEW when the database has a later step than the last of `migrations`
 */
export async function migrateDatabase(database: Database, migrations: readonly Migration[]): Promise<number> {
  const known = migrations.at(-1)?.version ?? 0;
  if (await database.run(hasVersions)) {
    const current = await database.run(versionOf);
    if (current > known) throw schemaTooNew(current, known, await database.run(ownerIn));
    if (current === known) return known;
  } else {
    await createVersions(database);
  }
  return database.changeSchema(async (transaction) => {
    // Makes the row or locks it, in one statement: another process may have made the table and not yet the row. It also
    // takes SQLite's write lock before anything is read.
    await transaction(VERSIONS).insert({ version: LOCK_ROW }).onConflict('version').merge();
    const current = await versionOf(transaction);
    if (current > known) throw schemaTooNew(current, known, await ownerIn(transaction));
    // Found before a step fails: after that, PostgreSQL answers nothing in this transaction.
    const owner = await ownerIn(transaction);
    for (const { version, up } of migrations.filter(({ version }) => version > current)) {
      await up(transaction.schema).catch((error: unknown) => {
        throw stepFault(version, error, owner);
      });
      await transaction(VERSIONS).insert({ version });
    }
    return known;
  });
}

function hasVersions(db: Knex): Promise<boolean> {
  return db.schema.hasTable(VERSIONS);
}

/** Creates the table of versions, or finds that another process does. */
async function createVersions(database: Database): Promise<void> {
  try {
    await database.run(async (db) => {
      await db.raw(`create table if not exists ${VERSIONS} (version integer primary key)`);
    });
  } catch (error) {
    // PostgreSQL fails this statement in all but one of the processes that run it at the same moment.
    if (!(await database.run(hasVersions))) throw error;
  }
}

async function versionOf(db: Knex): Promise<number> {
  const rows = await db<{ version: number }>(VERSIONS).select('version');
  return Math.max(0, ...rows.map(({ version }) => version));
}

function schemaTooNew(current: number, known: number, owner: string | null): StoreError {
  return new StoreError(
    'STORE_SCHEMA_TOO_NEW',
    `the database is at schema ${current}, this release knows ${known}: a newer release ran on it. Start that release, or restore the backup from before it. Or it is the database of another service${ofOwner(owner)}`,
  );
}

function ownerIn(db: Knex): Promise<string | null> {
  return ownerOf((table) => db.schema.hasTable(table));
}

function stepFault(version: number, error: unknown, owner: string | null): unknown {
  const code = driverCodeOf(error);
  if (!REFUSED_STATEMENT.test(code)) return error;
  return new StoreError(
    'STORE_UNAVAILABLE',
    `step ${version} of the schema failed (${code}): the role may not change tables, or it is the database of another service${ofOwner(owner)}`,
  );
}
