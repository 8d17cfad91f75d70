import { once } from 'node:events';
import { copyFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { Database, isDatabaseUrl, openDatabase, type Migration } from '../src/index.js';
import { storeErrorOf } from '../src/store-error.js';
import { postgresTestDatabase, sqliteTestDatabase } from '../src/testing/index.js';

const COUNTERS: Migration = {
  version: 1,
  up: (schema) =>
    schema
      .createTable('counters', (table) => {
        table.text('name').primary();
        table.integer('count').notNullable();
      })
      .raw("insert into counters (name, count) values ('a', 0), ('b', 0)"),
};

describe('a database URL', () => {
  it.each(['sqlite:/data/a.db', 'sqlite:a.db', 'postgres://h/d', 'postgresql://u:p@h:5432/d'])('accepts %s', (url) => {
    expect(isDatabaseUrl(url)).toBe(true);
  });

  it.each(['', 'sqlite:', 'sqlite::memory:', 'mysql://u:canary@h/d', '/data/a.db'])('refuses "%s"', (url) => {
    expect(isDatabaseUrl(url)).toBe(false);
    expect(() => new Database(url)).toThrow('DATABASE_URL: must be sqlite:PATH or postgres://...');
  });
});

describe('an SQLite database', () => {
  it('is readable by its owner only', async () => {
    const test = await sqliteTestDatabase();
    const { database } = await openDatabase(test.url, [COUNTERS]);
    const path = test.url.slice('sqlite:'.length);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    for (const name of [path, `${path}-wal`]) expect(statSync(name).mode & 0o777).toBe(0o600);
    await database.close();
    await test.remove();
  });

  it.each([
    ['moved', false],
    ['replaced', true],
  ])('does not write to a file that was %s', async (_, isReplaced) => {
    const test = await sqliteTestDatabase();
    const { database } = await openDatabase(test.url, [COUNTERS]);
    const path = test.url.slice('sqlite:'.length);
    const add = () => database.transaction(async (db) => db('counters').where('name', 'a').increment('count', 1));
    renameSync(path, `${path}.moved`);
    if (isReplaced) copyFileSync(`${path}.moved`, path);
    await expect(add()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', driverCode: 'SQLITE_READONLY_DBMOVED' });
    await expect(database.ping()).rejects.toThrow('Move it back');
    renameSync(`${path}.moved`, path);
    expect(await add()).toBe(1);
    await database.close();
    await test.remove();
  });

  it('waits for another writer without blocking', async () => {
    const test = await sqliteTestDatabase();
    const { database } = await openDatabase(test.url, [COUNTERS]);
    const other = new Database(test.url);
    const writing = await other.knex.transaction();
    await writing('counters').update({ count: 1 });
    let turns = 0;
    const counting = setInterval(() => {
      turns += 1;
    }, 10);
    const added = database.transaction(async (db) => db('counters').where('name', 'a').increment('count', 1));
    // On a busy machine, one attempt on the file takes most of this.
    do await new Promise((resolve) => setTimeout(resolve, 600));
    while (turns < 2);
    clearInterval(counting);
    await writing.commit();
    expect(await added).toBe(1);
    await other.close();
    await database.close();
    await test.remove();
  });

  it('says that its file is another kind of file', async () => {
    const test = await sqliteTestDatabase();
    await new Database(test.url).close();
    writeFileSync(test.url.slice('sqlite:'.length), 'not a database, and longer than its header '.repeat(20));
    await expect(openDatabase(test.url, [COUNTERS])).rejects.toMatchObject({
      message: expect.stringMatching(/\(SQLITE_NOTADB\): .*is not an SQLite database/),
    });
    await expect(openDatabase(`${test.url}/below`, [COUNTERS])).rejects.toMatchObject({
      message: expect.stringMatching(/\((EEXIST|ENOTDIR)\): a folder of the path/),
    });
    await test.remove();
  });

  it('fails without naming the file', async () => {
    const error: unknown = await openDatabase('sqlite:/dev/null/canary.db', []).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(inspect(error, { showHidden: true })).not.toContain('canary');
  });
});

describe('a PostgreSQL database', () => {
  it('fails without naming the server', async () => {
    const url = 'postgres://user:canary@127.0.0.1:1/canary';
    const error: unknown = await openDatabase(url, [COUNTERS]).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringMatching(/\(ECONNREFUSED\): .*Start the database, or correct host and port$/),
    });
    expect(inspect(error, { showHidden: true })).not.toContain('canary');
  });

  it('says that the server does not answer', async () => {
    const held: Socket[] = [];
    const silent = createServer((socket) => held.push(socket)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const address = silent.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const database = new Database(`postgres://user:secret@127.0.0.1:${port}/any`);
    const advice = expect.stringMatching(/\(ETIMEDOUT\): .*gave no connection in time/);
    // Knex gives up on the pool, pg on the connection.
    await expect(database.ping()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', message: advice });
    const inTransaction = database.transaction(async (db) => {
      await db.raw('select 1');
    });
    await expect(inTransaction).rejects.toMatchObject({ message: advice });
    await database.close();
    for (const socket of held) socket.destroy();
    silent.close();
  });

  it('says that it does not exist, without its name', async () => {
    const test = await postgresTestDatabase();
    const url = new URL(test.url);
    url.pathname = '/canary';
    const error: unknown = await openDatabase(url.href, [COUNTERS]).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ message: expect.stringMatching(/\(3D000\): .* does not exist\. Create it/) });
    expect(inspect(error, { showHidden: true })).not.toContain('canary');
    await test.remove();
  });

  it.each([
    ['28P01', 'password'],
    ['28000', 'log in'],
    ['42501', 'lacks a right'],
    ['53100', 'Free space'],
    ['SQLITE_FULL', 'Free space'],
    ['SQLITE_IOERR_WRITE', 'became read-only'],
    ['EROFS', 'Make it writable'],
    ['EACCES', 'owner or mode'],
    ['EAI_AGAIN', 'name server'],
    ['57P03', 'Wait until'],
    ['57P01', 'Wait until'],
    ['57P02', 'Wait until'],
    ['57P04', 'was deleted'],
    ['55000', 'ALLOW_CONNECTIONS'],
    ['55P03', 'lock_timeout'],
    ['53200', 'no memory left'],
    ['58030', 'The log of that server'],
    ['XX001', 'Restore a backup'],
    ['XX002', 'reindex'],
    ['25006', 'Name the primary'],
    ['57014', 'statement_timeout'],
    ['ECONNRESET', 'the network'],
    ['EPIPE', 'the network'],
    ['ERR_INVALID_URL', '%23'],
    ['ENOENT', 'Correct its path'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'sslrootcert'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'sslrootcert'],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'sslrootcert'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'sslrootcert'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'another host'],
    ['CERT_HAS_EXPIRED', 'Renew'],
    ['ENOTDIR', 'Correct the path'],
    ['SQLITE_CORRUPT', 'Restore a backup'],
    ['XX000', '(XX000)'],
  ])('says what to do about %s', (code, advice) => {
    expect(storeErrorOf(Object.assign(new Error('canary'), { code })).message).toContain(advice);
  });

  it('repeats transactions that failed to serialize', async () => {
    const test = await postgresTestDatabase();
    const { database } = await openDatabase(test.url, [COUNTERS]);
    let attempts = 0;
    let reads = 0;
    let bothRead: () => void = () => undefined;
    const conflict = new Promise<void>((resolve) => {
      bothRead = resolve;
    });
    const add = (): Promise<void> =>
      database.run((db) =>
        db.transaction(
          async (transaction) => {
            attempts += 1;
            const row = await transaction<{ name: string; count: number }>('counters').where('name', 'a').first();
            reads += 1;
            if (reads === 2) bothRead();
            await conflict;
            await transaction('counters')
              .where('name', 'a')
              .update({ count: (row?.count ?? 0) + 1 });
          },
          { isolationLevel: 'serializable' },
        ),
      );
    await Promise.all([add(), add()]);
    const rows = await database.run(async (db) =>
      db<{ name: string; count: number }>('counters').where('name', 'a').select('count'),
    );
    expect(rows).toEqual([{ count: 2 }]);
    expect(attempts).toBeGreaterThan(2);
    await database.close();
    await test.remove();
  });
});

describe.each([
  ['SQLite', sqliteTestDatabase],
  ['PostgreSQL', postgresTestDatabase],
])('a failure on %s', (_, newDatabase) => {
  it('keeps the row out of the error', async () => {
    const test = await newDatabase();
    const { database } = await openDatabase(test.url, [COUNTERS]);
    const insert = database.run((db) => db('counters').insert({ name: 'canary', count: null }));
    const error: unknown = await insert.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'STORE_ROW_REFUSED' });
    expect(inspect(error, { showHidden: true })).not.toContain('canary');
    await database.close();
    await expect(database.ping()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await test.remove();
  });
});
