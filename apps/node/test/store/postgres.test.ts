import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { postgresTestDatabase, type TestDatabase } from '@cer/sql-store/testing';

import { openStore, type NewRecord, type Store } from '../../src/store/index.js';
import { PostgresDatabase } from '../../src/store/postgres/postgres-database.js';
import { leaf } from './log.contract.js';
import { newRecord } from './new-record.js';
import { storeContract, strays } from './store.contract.js';

interface Proxy {
  readonly url: string;
  readonly close: () => void;
}

/** The database behind a proxy that calls `pass` for each chunk of a client, and `answered` for each of the server. */
async function proxyOf(
  url: string,
  pass: (chunk: Buffer, client: Socket, upstream: Socket) => void,
  answered: () => void = () => undefined,
): Promise<Proxy> {
  const target = new URL(url);
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    upstream.on('data', (chunk) => {
      answered();
      client.write(chunk);
    });
    client.on('data', (chunk: Buffer) => {
      pass(chunk, client, upstream);
    });
    client.on('close', () => upstream.destroy());
    for (const socket of [client, upstream]) socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('the proxy has no port');
  return { url: Object.assign(new URL(url), { port: String(address.port) }).href, close: () => server.close() };
}

/** A proxy that treats a connection otherwise when a text passes. */
async function interruptingProxy(url: string, text: string, interrupt: (client: Socket) => void): Promise<Proxy> {
  return await proxyOf(url, (chunk, client, upstream) => {
    if (!chunk.includes(text)) upstream.write(chunk);
    else interrupt(client);
  });
}

describe('the store on PostgreSQL', () => {
  storeContract(postgresTestDatabase);

  describe('beside another node', () => {
    let database: TestDatabase;
    let store: Store;
    let other: pg.Client;

    beforeAll(async () => {
      database = await postgresTestDatabase();
      store = await openStore({ databaseUrl: database.url, queueLimit: 100 });
      other = new pg.Client(database.url);
      await other.connect();
    });

    afterAll(async () => {
      await other.end();
      await store.close();
      await database.remove();
    });

    /** The other node claims an executionId and leaves its transaction open. */
    async function claim(executionId: string): Promise<void> {
      await other.query('begin');
      await other.query(
        `insert into executions (tenant_id, execution_id, certificate_hash, bundle_created_at, snapshot_timestamp)
         values ('tenant-a', $1, 'sha256:other', 'c', 't')`,
        [executionId],
      );
    }

    async function someoneWaits(): Promise<void> {
      const waiting = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
      while ((await other.query(waiting)).rowCount === 0) await sleep(5);
    }

    it('records an id whose claim was rolled back', async () => {
      await claim('given up');
      const outcome = store.records.recordOnce(newRecord({ executionId: 'given up' }));
      await someoneWaits();
      await other.query('rollback');
      expect(await outcome).toEqual({ recorded: true });
    });

    it('sees a row committed after its statement began', async () => {
      await claim('committed');
      const outcome = store.records.recordOnce(newRecord({ executionId: 'committed' }));
      await someoneWaits();
      await other.query('commit');
      expect(await outcome).toMatchObject({ recorded: false, existing: { certificateHash: 'sha256:other' } });
      await other.query("delete from executions where execution_id = 'committed'");
    });

    it('rolls back a transaction that is blocked', async () => {
      const hash = 'sha256:waits';
      await store.records.recordOnce(newRecord({ executionId: 'waits', certificateHash: hash }));
      const impatient = new PostgresDatabase(database.url, { queryMs: 100 });
      await other.query('begin');
      await other.query('lock table records in access exclusive mode');
      const deletion = impatient.transact([
        { sql: 'lock table legal_holds in share mode', values: [] },
        { sql: "update records set visibility = 'deleted' where certificate_hash = $1", values: [hash] },
      ]);
      await expect(deletion).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
      await other.query('rollback');
      await impatient.close();
      await expect(store.records.findByHash(hash)).resolves.not.toBeNull();
    });

    it('survives a deadlock with another transaction', async () => {
      await claim('deadlock 2');
      const outcomes = ['deadlock 1', 'deadlock 2'].map((executionId) =>
        store.records.recordOnce(newRecord({ executionId })),
      );
      await someoneWaits();
      // Both wait for each other now; PostgreSQL ends either of them.
      await other
        .query(
          `insert into executions (tenant_id, execution_id, certificate_hash, bundle_created_at, snapshot_timestamp)
           values ('tenant-a', 'deadlock 1', 'sha256:other', 'c', 't')`,
        )
        .catch(() => undefined);
      await other.query('rollback');
      expect(await Promise.all(outcomes)).toEqual([{ recorded: true }, { recorded: true }]);
      expect(await strays(database)).toEqual([]);
    });

    it('delays a deletion for a concurrent hold', async () => {
      const record = newRecord();
      await store.records.recordOnce(record);
      await other.query('begin');
      await other.query("insert into legal_holds (hash, tenant_id, placed_at) values ($1, '', 't')", [
        record.certificateHash,
      ]);
      const deleted = store.records.setVisibility(record.certificateHash, 'deleted');
      await someoneWaits();
      await other.query('commit');
      expect(await deleted).toBe(0);
      expect(await store.records.findByHash(record.certificateHash)).not.toBeNull();
    });

    it('delays a hold for a concurrent deletion', async () => {
      const record = newRecord();
      await store.records.recordOnce(record);
      await other.query('begin');
      await other.query('lock table legal_holds, tenant_settings in share mode');
      await other.query("update records set visibility = 'deleted' where certificate_hash = $1", [
        record.certificateHash,
      ]);
      const held = store.legalHolds.place('records', record.certificateHash, null);
      await someoneWaits();
      await other.query('commit');
      expect(await held).toBe(0);
      expect(await other.query('select 1 from legal_holds where hash = $1', [record.certificateHash])).toMatchObject({
        rowCount: 0,
      });
    });

    it('refuses a transaction whose connection is reset', async () => {
      const proxy = await interruptingProxy(database.url, 'reset-here', (client) => client.resetAndDestroy());
      const own = new PostgresDatabase(proxy.url);
      const statements = ['select 1 as one', "select 'reset-here' as two"].map((sql) => ({ sql, values: [] }));
      await expect(own.transact(statements)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
      await expect(own.all('select 1 as one', [])).resolves.toEqual([{ one: 1 }]);
      await own.close();
      proxy.close();
    });

    it('stores a batch in two round trips, with leaves in three', async () => {
      let trips = 0;
      let isAnswered = true;
      const count = (chunk: Buffer, _client: Socket, upstream: Socket): void => {
        if (isAnswered) trips += 1;
        isAnswered = false;
        upstream.write(chunk);
      };
      const proxy = await proxyOf(database.url, count, () => {
        isAnswered = true;
      });
      const own = new PostgresDatabase(proxy.url);
      const tripsOf = async (records: readonly NewRecord[]): Promise<number> => {
        await own.all('select 1', []);
        const before = trips;
        expect(await own.insertBatch(records)).toEqual(records.map(() => true));
        return trips - before;
      };
      expect(await tripsOf([newRecord(), newRecord()])).toBe(2);
      expect(await tripsOf([newRecord({ executionId: null })])).toBe(1);
      expect(await tripsOf([newRecord(), newRecord({ executionId: null })])).toBe(3);
      expect(await tripsOf([newRecord({ leaves: [leaf()] })])).toBe(3);
      await own.close();
      proxy.close();
    });

    it('stores nothing of a batch whose begin was refused', async () => {
      let isRefusing = false;
      const proxy = await proxyOf(database.url, (chunk, _client, upstream) => {
        const text = chunk.toString('latin1');
        upstream.write(isRefusing ? Buffer.from(text.replace('begin;', 'wrong;'), 'latin1') : chunk);
      });
      const own = new PostgresDatabase(proxy.url);
      await own.all('select 1', []);
      const records = [newRecord(), newRecord({ executionId: null })];
      isRefusing = true;
      for (const record of records) {
        await expect(own.insertBatch([record])).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
      }
      isRefusing = false;
      expect(await own.insertBatch(records)).toEqual([true, true]);
      await own.close();
      proxy.close();
    });

    it("does not wait long for a suspended node's transaction", async () => {
      const record = newRecord();
      await store.records.recordOnce(record);
      const update = { sql: 'update records set visibility = visibility where certificate_hash = $1' };
      const values = [record.certificateHash];
      const suspendedClients: Socket[] = [];
      const proxy = await interruptingProxy(database.url, 'suspended-here', (client) => {
        suspendedClients.push(client);
      });
      // Longer than this process may take between two statements on a busy machine.
      const own = new PostgresDatabase(proxy.url, { idleMs: 3_000 });
      const suspended = own.transact([
        { ...update, values },
        { sql: "select 'suspended-here' as one", values: [] },
      ]);
      const refused = expect(suspended).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
      while (suspendedClients.length === 0) await sleep(5);
      await expect(other.query(update.sql, values)).resolves.toMatchObject({ rowCount: 1 });
      await refused;
      await own.close();
      proxy.close();
    });

    it('recovers after the server ended its connections', async () => {
      await store.records.recordOnce(newRecord());
      const end =
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()';
      await other.query(end);
      // A loaded server ends them slowly, and may end another one during each attempt.
      const left = 'select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()';
      while ((await other.query(left)).rowCount !== 0) await sleep(5);
      const outcomes = await Promise.all(Array.from({ length: 20 }, () => store.records.recordOnce(newRecord())));
      expect(outcomes.every(({ recorded }) => recorded)).toBe(true);
    });
  });

  describe('says what to do', () => {
    let database: TestDatabase;
    beforeAll(async () => {
      database = await postgresTestDatabase();
    });
    afterAll(() => database.remove());

    const reasonOn = async (url: string, sql = 'select 1', queryMs?: number): Promise<unknown> => {
      const own = new PostgresDatabase(url, queryMs === undefined ? {} : { queryMs });
      const reason: unknown = await own.all(sql, []).catch((error: unknown) => error);
      await own.close();
      return reason;
    };
    const explained = (message: RegExp): unknown =>
      expect.objectContaining({
        code: 'STORE_UNAVAILABLE',
        isExplained: true,
        message: expect.stringMatching(message),
      });

    it.each<[string, (url: URL) => void, RegExp]>([
      ['has no password', (url) => (url.password = ''), /\(no password\): .*DATABASE_URL has none/],
      ['asks for TLS', (url) => (url.search = 'sslmode=verify-full'), /\(no TLS\): .*remove sslmode/],
    ])('about a URL that %s', async (_name, change, message) => {
      const url = new URL(database.url);
      change(url);
      expect(await reasonOn(url.href)).toEqual(explained(message));
    });

    it('about a password that breaks the URL, without it', async () => {
      const reason = await reasonOn('postgres://user:can#ary@127.0.0.1:1/any');
      expect(reason).toEqual(explained(/\(ERR_INVALID_URL\): .*%23/));
      expect(inspect(reason, { showHidden: true })).not.toContain('ary');
    });

    it('about a server that accepts a connection and is silent', async () => {
      const held: Socket[] = [];
      const silent = createServer((socket) => held.push(socket));
      await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
      const url = Object.assign(new URL(database.url), { port: String((silent.address() as AddressInfo).port) });
      const reason = await reasonOn(url.href);
      for (const socket of held) socket.destroy();
      silent.close();
      expect(reason).toEqual(explained(/\(ETIMEDOUT\): .*gave no connection in time/));
    });

    it('about a password that is missing, and leaves no connection to the server', async () => {
      // What a server sends that asks for a password: the names of its ways, and its part of the first.
      const asks = ['R\0\0\0\x17\0\0\0\x0aSCRAM-SHA-256\0\0', 'R\0\0\0\x0b\0\0\0\x0br=1'];
      const closed: Promise<unknown>[] = [];
      const server = createServer((socket) => {
        closed.push(once(socket, 'close'));
        const answers = asks.values();
        socket.on('data', () => socket.write(answers.next().value ?? '')).on('error', () => undefined);
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const url = `postgres://user@127.0.0.1:${(server.address() as AddressInfo).port}/any`;
      expect(await reasonOn(url)).toEqual(explained(/\(no password\): .*DATABASE_URL has none/));
      expect(closed).toHaveLength(1);
      await Promise.all(closed);
      server.close();
    });

    it('about a statement without an answer', async () => {
      expect(await reasonOn(database.url, 'select pg_sleep(2)', 100)).toEqual(
        explained(/\(no answer\): .*pg_stat_activity/),
      );
    });

    it('about a connection that ends', async () => {
      const proxy = await interruptingProxy(database.url, 'ends-here', (client) => client.end());
      const reason = await reasonOn(proxy.url, "select 'ends-here'");
      proxy.close();
      expect(reason).toEqual(explained(/\(ECONNRESET\): .*network/));
    });

    it('about a database that takes no writes', async () => {
      const url = `${database.url}?options=-c%20default_transaction_read_only%3Don`;
      expect(await reasonOn(url, 'create table any_table ()')).toEqual(explained(/\(25006\): .*Name the primary/));
    });

    it('about a lock that is not free in time', async () => {
      const holder = new pg.Client(database.url);
      await holder.connect();
      try {
        await holder.query('begin');
        await holder.query('select pg_advisory_xact_lock(55)');
        const url = `${database.url}?options=-c%20lock_timeout%3D50`;
        const reason = await reasonOn(url, 'select pg_advisory_lock(55)');
        expect(reason).toMatchObject({ code: 'STORE_CONTENDED', isExplained: true });
        expect(reason).toMatchObject({ message: expect.stringMatching(/\(55P03\): .*pg_locks/) });
      } finally {
        await holder.end();
      }
    });

    it('about a database that lets no one in', async () => {
      const closed = await postgresTestDatabase();
      const name = new URL(closed.url).pathname.slice(1);
      const admin = new pg.Client(database.url);
      await admin.connect();
      try {
        await admin.query(`alter database "${name}" with allow_connections false`);
        expect(await reasonOn(closed.url)).toEqual(explained(/\(55000\): .*ALLOW_CONNECTIONS/));
      } finally {
        await admin.query(`alter database "${name}" with allow_connections true`);
        await admin.end();
        await closed.remove();
      }
    });
  });

  it('reports an unreachable server without its address', async () => {
    const error: unknown = await openStore({
      databaseUrl: 'postgres://user:canary@127.0.0.1:1/canary',
      queueLimit: 1,
    }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(inspect(error, { showHidden: true })).not.toContain('canary');
  });
});
