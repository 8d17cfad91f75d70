import { describe, expect, it } from '@jest/globals';
import { postgresTestDatabase, sqliteTestDatabase } from '@cer/sql-store/testing';

import { openStore } from '../../src/store/index.js';
import { compiledMigrations, MIGRATIONS } from '../../src/store/migrations/index.js';
import type { Migration } from '../../src/store/migrations/migration.js';
import { newRecord } from './new-record.js';
import { WRITER_THREAD } from './writer-thread.js';

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
  ['SQLite', sqliteTestDatabase, {}],
  ['SQLite, written in threads,', sqliteTestDatabase, { writerThread: WRITER_THREAD }],
  ['PostgreSQL', postgresTestDatabase, {}],
] as const)('two releases on one %s database', (_name, makeDatabase, options) => {
  it('both work while the newer one extends the schema', async () => {
    const database = await makeDatabase();
    const open = (migrations: readonly Migration[]): ReturnType<typeof openStore> =>
      openStore({ databaseUrl: database.url, queueLimit: 1000, migrations, ...options });
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

  it('keep every execution while step 22 copies them', async () => {
    const database = await makeDatabase();
    const upTo21 = MIGRATIONS.filter(({ version }) => version <= 21);
    const earlier = await openStore({ databaseUrl: database.url, queueLimit: 1000, migrations: upTo21, ...options });
    const executionId = 'of two tenants';
    const before = [
      ...['tenant-b', 'tenant-a'].map((tenantId) => newRecord({ tenantId, executionId })),
      ...Array.from({ length: 50 }, () => newRecord({ commitmentSecretId: 'secret' })),
    ];
    for (const record of before) await earlier.records.recordOnce(record);
    const later = await openStore({ databaseUrl: database.url, queueLimit: 1000, ...options });
    for (const store of [earlier, later]) {
      const found = await store.records.findByExecutionId(executionId, { limit: 10 });
      expect(found.map((record) => record.tenantId)).toEqual(['tenant-b', 'tenant-a']);
      expect(await store.records.findByExecutionId(executionId, { limit: 1 })).toEqual(found.slice(0, 1));
      for (const record of before) {
        const { tenantId, executionId: id, certificateHash, createdAt, timestamp, commitmentSecretId } = record;
        expect(await store.records.recordOnce(newRecord({ tenantId, executionId: id }))).toMatchObject({
          recorded: false,
          existing: { certificateHash, createdAt, timestamp, commitmentSecretId },
        });
      }
      expect(await store.records.recordOnce(newRecord())).toEqual({ recorded: true });
      await store.close();
    }
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
      const store = await openStore({ databaseUrl: database.url, queueLimit: 1, migrations, ...options });
      expect(store.schemaVersion).toBe(schemaVersion);
      await store.close();
    }
    await database.remove();
  });

  it('end at a step that removes something', async () => {
    const database = await makeDatabase();
    const newer = [...MIGRATIONS, expanding, contracting];
    await (await openStore({ databaseUrl: database.url, queueLimit: 1, migrations: newer, ...options })).close();
    await expect(openStore({ databaseUrl: database.url, queueLimit: 1, ...options })).rejects.toMatchObject({
      code: 'STORE_SCHEMA_TOO_NEW',
    });
    await database.remove();
  });
});

/** The columns of each index that a text creates, with whether it is unique. */
function indexesIn(
  sql: string,
): ReadonlyMap<string, { readonly isUnique: boolean; readonly columns: readonly string[] }> {
  const found = sql.matchAll(/create (unique )?index "?(\w+)"? on "?\w+"?\s*\((.*)\)/gi);
  return new Map(
    [...found].map(([, unique, name = '', columns = '']) => [
      name,
      { isUnique: unique !== undefined, columns: columns.split(', ') },
    ]),
  );
}

/** The text without the removal of indexes that only found rows, for which it creates one that finds the same rows. */
function withoutReplaced(sql: string, earlier: string): string {
  const before = indexesIn(earlier);
  const made = [...indexesIn(sql).values()];
  return sql.replaceAll(/drop index (\w+)/g, (text, name: string) => {
    const dropped = before.get(name);
    const isReplaced = made.some(
      ({ columns }) =>
        columns.slice(0, 2).join() === dropped?.columns.slice(0, 2).join() &&
        dropped.columns.every((column) => columns.includes(column)),
    );
    return dropped?.isUnique === false && isReplaced ? '' : text;
  });
}

describe('the steps of the schema', () => {
  it.each(['sqlite', 'postgres'] as const)('only add or declare compatibility: %s', (dialect) => {
    let earlier = '';
    for (const { version, oldestSchema, sql } of compiledMigrations(dialect, MIGRATIONS)) {
      if (version > 1 && oldestSchema === 1)
        expect(withoutReplaced(sql, earlier)).not.toMatch(/\b(drop (table|column|index)|rename|alter column)\b/i);
      earlier += `${sql};\n`;
    }
  });

  it('may replace an index, and not remove one', () => {
    const earlier = 'create index a on t\n (x, y, z);\ncreate unique index u on t (x, y)';
    const kept = (sql: string): boolean => withoutReplaced(sql, earlier).includes('drop index');
    expect(kept('create index b on t (x, y, z, w);\ndrop index a')).toBe(false);
    for (const sql of [
      'drop index a',
      'create index b on t (x, y, w);\ndrop index a',
      'create index b on t (x, y, w);\ndrop index u',
    ]) {
      expect([sql, kept(sql)]).toEqual([sql, true]);
    }
  });
});
