import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { Database, type Migration } from '../src/index.js';
import { migrateDatabase } from '../src/migrate.js';
import { postgresTestDatabase, type TestDatabase } from '../src/testing/index.js';

/** Longer than a statement takes that waits for nothing, on a busy machine too. */
const QUERY_MS = 2_000;
const IDLE_MS = 3_000;

const NOTES: Migration = {
  version: 1,
  up: (schema) => schema.createTable('notes', (table) => table.text('note').primary()).raw('create table others ()'),
};
const ADD = "insert into notes values ('added')";

describe('a statement on PostgreSQL', () => {
  let test: TestDatabase;
  let database: Database;
  let other: pg.Client;

  beforeAll(async () => {
    test = await postgresTestDatabase();
    database = new Database(test.url, { queryMs: QUERY_MS, idleMs: IDLE_MS });
    await migrateDatabase(database, [NOTES]);
    other = new pg.Client(test.url);
    await other.connect();
  });
  afterAll(async () => {
    await other.end();
    await database.close();
    await test.remove();
  });

  const holding = async (table: string): Promise<void> => {
    await other.query('begin');
    await other.query(`lock table ${table} in access exclusive mode`);
  };

  it('is given up after its time, and its transaction with it', async () => {
    await holding('others');
    const blocked = database.transaction(async (db) => {
      await db.raw(ADD);
      await db.raw('select * from others');
    });
    await expect(blocked).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    // The first statement is rolled back as well, before the lock of the second is free.
    const again = await database.run((db) => db('notes').count('* as n').first());
    expect(Number(again?.['n'])).toBe(0);
    await other.query('rollback');
  });

  it('leaves connections for others when given up', async () => {
    await holding('notes');
    const blocked = Array.from({ length: 10 }, () => database.run((db) => db('notes').select()));
    const outcomes = await Promise.allSettled(blocked);
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(10);
    await database.ping();
    await other.query('rollback');
  });

  it('is given up when the network drops its packets', async () => {
    const proxy = await swallowingProxy(test.url);
    const cut = new Database(proxy.url, { queryMs: QUERY_MS });
    await cut.ping();
    proxy.swallow();
    await expect(cut.run((db) => db('others').select())).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await expect(cut.transaction((db) => db.raw(ADD))).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await cut.close();
    await proxy.close();
  });

  it('of the schema takes longer than others may', async () => {
    const slow: Migration = { version: 2, up: (schema) => schema.raw(`select pg_sleep(${(QUERY_MS + 500) / 1_000})`) };
    expect(await migrateDatabase(database, [NOTES, slow])).toBe(2);
  });

  it('frees the locks of a transaction that is suspended', async () => {
    await other.query("insert into notes values ('locked')");
    let resume: () => void = () => undefined;
    const resumed = new Promise<void>((resolve) => {
      resume = resolve;
    });
    let hold: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      hold = resolve;
    });
    const suspended = database.transaction(async (db) => {
      await db.raw("update notes set note = 'changed' where note = 'locked'");
      hold();
      await resumed;
      await db.raw(ADD);
    });
    const refused = expect(suspended).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await held;
    expect((await other.query("delete from notes where note = 'locked'")).rowCount).toBe(1);
    resume();
    await refused;
  });

  it('of a later transaction finds the limit of its session', async () => {
    // Its statements, one after the other, share one connection.
    const single = new Database(test.url, { idleMs: IDLE_MS });
    const show = async (): Promise<unknown> => {
      const { rows } = await single.run((db) =>
        db.raw<pg.QueryResult<Record<string, unknown>>>('show idle_in_transaction_session_timeout'),
      );
      return rows[0]?.['idle_in_transaction_session_timeout'];
    };
    const before = await show();
    await single.transaction((db) => db.raw('select 1'));
    expect(await show()).toBe(before);
    await single.close();
  });
});

/** Passes bytes on both ways until told to drop them. */
async function swallowingProxy(databaseUrl: string): Promise<{
  readonly url: string;
  readonly swallow: () => void;
  readonly close: () => Promise<void>;
}> {
  const { hostname, port } = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let isSwallowing = false;
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('data', (chunk) => {
        if (!isSwallowing) to.write(chunk);
      });
      from.on('error', () => to.destroy());
      from.on('close', () => to.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: Object.assign(new URL(databaseUrl), { port: String((server.address() as AddressInfo).port) }).href,
    swallow: () => {
      isSwallowing = true;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
