import { describe, expect, it } from '@jest/globals';
import { postgresTestDatabase, sqliteTestDatabase } from '@cer/sql-store/testing';

import { openStore } from '../../src/store/index.js';
import { compiledMigrations, MIGRATIONS } from '../../src/store/migrations/index.js';
import type { Migration } from '../../src/store/migrations/migration.js';
import { newRecord } from './new-record.js';

const latest = MIGRATIONS.at(-1)?.version ?? 0;

/** A compatible step of a later release. */
const expanding: Migration = {
  version: latest + 1,
  up: (db) =>
    db.schema
      .alterTable('records', (table) => {
        table.text('later_column').notNullable().defaultTo('later');
      })
      .createTable('later_table', (table) => {
        table.text('id').primary();
      }),
};
const contracting: Migration = {
  version: latest + 2,
  oldestSchema: latest + 1,
  up: (db) => db.schema.dropTable('later_table'),
};

describe.each([
  ['SQLite', sqliteTestDatabase],
  ['PostgreSQL', postgresTestDatabase],
] as const)('two releases on one %s database', (_name, makeDatabase) => {
  it('both work while the newer one extends the schema', async () => {
    const database = await makeDatabase();
    const open = (migrations: readonly Migration[]): ReturnType<typeof openStore> =>
      openStore({ databaseUrl: database.url, queueLimit: 1000, migrations });
    const older = await open(MIGRATIONS);
    const before = Array.from({ length: 50 }, () => newRecord());
    const recorded = before.map((record) => older.records.recordOnce(record));
    const newer = await open([...MIGRATIONS, expanding]);
    const after = Array.from({ length: 50 }, () => newRecord());
    recorded.push(...after.map((record, at) => (at % 2 === 0 ? older : newer).records.recordOnce(record)));
    expect(new Set((await Promise.all(recorded)).map((outcome) => outcome.recorded))).toEqual(new Set([true]));
    const again = await open(MIGRATIONS);
    expect(again.schemaVersion).toBe(latest + 1);
    for (const store of [older, newer, again]) {
      for (const { certificateHash } of [before[0], after[0], after[1]].filter((record) => record !== undefined)) {
        expect(await store.records.findByHash(certificateHash)).not.toBeNull();
      }
    }
    for (const store of [older, newer, again]) await store.close();
    await database.remove();
  });

  it('apply a missing earlier step', async () => {
    const database = await makeDatabase();
    const later: Migration = {
      version: latest + 2,
      up: (db) => db.schema.createTable('other', (table) => table.text('id')),
    };
    const needsBoth: Migration = {
      version: latest + 3,
      up: (db) => db.schema.raw('insert into later_table select id from other'),
    };
    for (const [steps, schemaVersion] of [
      [[later], latest + 2],
      [[expanding, later], latest + 2],
      [[expanding, later, needsBoth], latest + 3],
    ] as const) {
      const migrations = [...MIGRATIONS, ...steps];
      const store = await openStore({ databaseUrl: database.url, queueLimit: 1, migrations });
      expect(store.schemaVersion).toBe(schemaVersion);
      await store.close();
    }
    await database.remove();
  });

  it('end at a step that removes something', async () => {
    const database = await makeDatabase();
    const newer = [...MIGRATIONS, expanding, contracting];
    await (await openStore({ databaseUrl: database.url, queueLimit: 1, migrations: newer })).close();
    await expect(openStore({ databaseUrl: database.url, queueLimit: 1 })).rejects.toMatchObject({
      code: 'STORE_SCHEMA_TOO_NEW',
    });
    await database.remove();
  });
});

describe('the steps of the schema', () => {
  it.each(['sqlite', 'postgres'] as const)('only add or declare compatibility: %s', (dialect) => {
    for (const { version, oldestSchema, sql } of compiledMigrations(dialect, MIGRATIONS)) {
      if (version > 1 && oldestSchema === 1)
        expect(sql).not.toMatch(/\b(drop (table|column|index)|rename|alter column)\b/i);
    }
  });
});
