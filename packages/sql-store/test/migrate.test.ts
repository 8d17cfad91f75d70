import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { Database, openDatabase, type Migration } from '../src/index.js';
import { postgresTestDatabase, sqliteTestDatabase, type TestDatabase } from '../src/testing/index.js';

const PROCESSES = 4;
const STEPS = 6;

const CREATE: Migration = {
  version: 1,
  up: (schema) => schema.createTable('steps', (table) => void table.integer('step').notNullable()),
};
const ADD: Migration = { version: 2, up: (schema) => schema.raw('insert into steps (step) values (2)') };
const FAIL: Migration = { version: 3, up: (schema) => schema.raw('insert into no_such_table (step) values (3)') };

/** A process that migrates when a line arrives on its standard input. */
async function migratingProcess(
  url: string,
  env: Readonly<Record<string, string>>,
): Promise<ChildProcessByStdio<Writable, Readable, Readable>> {
  const child = spawn(process.execPath, [join(__dirname, 'migrating-process.mjs')], {
    env: { PATH: process.env['PATH'], DATABASE_URL: url, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  await once(child.stdout, 'readable');
  return child;
}

/** Lets the processes migrate at the same moment. @returns of each its output, or how it ended */
async function migrateAtOnce(children: readonly ChildProcessByStdio<Writable, Readable, Readable>[]) {
  for (const child of children) child.stdin.write('go\n');
  return Promise.all(
    children.map(async (child) => {
      const [said, faults] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
      return child.exitCode === 0 ? said : (child.signalCode ?? faults);
    }),
  );
}

async function stepsIn(url: string): Promise<readonly number[]> {
  const database = new Database(url);
  try {
    const rows = await database.run((db) => db<{ step: number }>('steps').orderBy('step').select('step'));
    return rows.map(({ step }) => step);
  } finally {
    await database.close();
  }
}

describe.each([
  ['SQLite', sqliteTestDatabase],
  ['PostgreSQL', postgresTestDatabase],
])('migrating %s', (_, newDatabase) => {
  let test: TestDatabase;
  const migrated = async (migrations: readonly Migration[]): Promise<number> => {
    const { database, schemaVersion } = await openDatabase(test.url, migrations);
    await database.close();
    return schemaVersion;
  };

  beforeEach(async () => {
    test = await newDatabase();
  });
  afterEach(async () => {
    await test.remove();
  });

  it('applies each step once', async () => {
    expect(await migrated([CREATE])).toBe(1);
    expect(await migrated([CREATE, ADD])).toBe(2);
    expect(await migrated([CREATE, ADD])).toBe(2);
    expect(await stepsIn(test.url)).toEqual([2]);
  });

  it('applies all missing steps or none', async () => {
    await migrated([CREATE]);
    await expect(migrated([CREATE, ADD, FAIL])).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringMatching(
        /^step 3 of the schema failed \((SQLITE_ERROR|42P01)\): .*of another service\. Give each service its own/,
      ),
    });
    expect(await stepsIn(test.url)).toEqual([]);
    expect(await migrated([CREATE, ADD])).toBe(2);
  });

  it('refuses the schema of a newer release', async () => {
    await migrated([CREATE, ADD]);
    await expect(migrated([CREATE])).rejects.toMatchObject({
      code: 'STORE_SCHEMA_TOO_NEW',
      message: expect.stringContaining('of another service'),
    });
  });

  it('says how to go back where a newer release ran', async () => {
    await migrated([CREATE, ADD]);
    await expect(migrated([CREATE])).rejects.toMatchObject({
      message: expect.stringMatching(
        /^the database is at schema 2, this release knows 1: .*Start that release, or restore/,
      ),
    });
  });

  it('names the service that a database belongs to', async () => {
    const dashboard: Migration = {
      version: 1,
      up: (schema) => schema.createTable('login_attempts', (table) => void table.integer('id')),
    };
    await migrated([dashboard, { ...ADD, up: (schema) => schema.raw('select 1') }]);
    const owned = expect.stringMatching(/It has the tables of the dashboard\. Give each service its own database/);
    await expect(migrated([CREATE])).rejects.toMatchObject({ code: 'STORE_SCHEMA_TOO_NEW', message: owned });
    await expect(migrated([CREATE, ADD, FAIL])).rejects.toMatchObject({ message: owned });
  });

  it('lets one of many processes migrate', async () => {
    const env = { STEPS: String(STEPS) };
    const children = await Promise.all(Array.from({ length: PROCESSES }, () => migratingProcess(test.url, env)));
    expect(await migrateAtOnce(children)).toEqual(Array.from({ length: PROCESSES }, () => `ready\n${STEPS}\n`));
    expect(await stepsIn(test.url)).toEqual(Array.from({ length: STEPS }, (_step, index) => index + 1));
  });

  it('recovers from a process killed while migrating', async () => {
    const killed = await migratingProcess(test.url, { STEPS: String(STEPS), KILLED_IN: '4' });
    expect(await migrateAtOnce([killed])).toEqual(['SIGKILL']);
    const next = await migratingProcess(test.url, { STEPS: String(STEPS) });
    expect(await migrateAtOnce([next])).toEqual([`ready\n${STEPS}\n`]);
    expect(await stepsIn(test.url)).toEqual(Array.from({ length: STEPS }, (_step, index) => index + 1));
  });
});

describe('a migrated PostgreSQL database', () => {
  it('opens for a role that cannot change tables', async () => {
    const test = await postgresTestDatabase();
    const { database } = await openDatabase(test.url, [CREATE, ADD]);
    const role = `reader_${Date.now()}_${process.pid}`;
    await database.knex.raw(`create role ${role} login password 'reader'`);
    await database.knex.raw(`grant select on all tables in schema public to ${role}`);
    const url = Object.assign(new URL(test.url), { username: role, password: 'reader' }).href;
    const opened = await openDatabase(url, [CREATE, ADD]);
    expect(opened.schemaVersion).toBe(2);
    await opened.database.close();
    await database.knex.raw(`drop owned by ${role}`);
    await database.knex.raw(`drop role ${role}`);
    await database.close();
    await test.remove();
  });

  const LOCK = 'update schema_versions set version = 0 where version = 0';
  const WITHOUT_LOCK_ROW = 'delete from schema_versions where version = 0';
  const MAKE_LOCK_ROW = 'insert into schema_versions (version) values (0)';

  it.each([
    ['waits for the lock row, not for an advisory lock', [], LOCK],
    ['waits for a process that has made the table and makes its lock row', [WITHOUT_LOCK_ROW], MAKE_LOCK_ROW],
  ])('%s', async (_, before, lock) => {
    const test = await postgresTestDatabase();
    const { database } = await openDatabase(test.url, [CREATE]);
    for (const statement of before) await database.knex.raw(statement);
    const holder = new pg.Client(test.url);
    await holder.connect();
    await holder.query('begin');
    await holder.query(lock);
    const opening = openDatabase(test.url, [CREATE, ADD]);
    const waiting = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    while ((await database.knex.raw<pg.QueryResult>(waiting)).rows.length === 0);
    const advisory = await database.knex.raw<pg.QueryResult>("select 1 from pg_locks where locktype = 'advisory'");
    expect(advisory.rows).toEqual([]);
    expect(await stepsIn(test.url)).toEqual([]);
    await holder.query('commit');
    await holder.end();
    const opened = await opening;
    expect(await stepsIn(test.url)).toEqual([2]);
    await opened.database.close();
    await database.close();
    await test.remove();
  });
});
