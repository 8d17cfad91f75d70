import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { postgresTestDatabase, type TestDatabase } from '@cer/sql-store/testing';

import { openStore, type Store } from '../../src/store/index.js';

const LIMIT = 1;

// An insert that has counted waits here, until the test has both where it wants them.
const GATE = `
  create function wait_at_gate() returns trigger language plpgsql as
    'begin perform pg_advisory_xact_lock_shared(1); return new; end';
  create trigger gate before insert on webhooks for each row execute function wait_at_gate();
  create trigger gate before insert on alert_deliveries for each row execute function wait_at_gate();`;

describe('a limit on PostgreSQL', () => {
  let database: TestDatabase;
  let stores: readonly Store[];
  let other: pg.Client;

  beforeAll(async () => {
    database = await postgresTestDatabase();
    const open = (): Promise<Store> => openStore({ databaseUrl: database.url, queueLimit: 100 });
    stores = [await open(), await open()];
    other = new pg.Client(database.url);
    await other.connect();
    await other.query(GATE);
  });
  afterAll(async () => {
    await other.end();
    for (const store of stores) await store.close();
    await database.remove();
  });

  async function bothWait(): Promise<void> {
    const waiting = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    while ((await other.query(waiting)).rowCount !== 2) await sleep(5);
  }

  it.each<[string, (store: Store, tenantId: string) => Promise<boolean>]>([
    [
      'webhooks',
      ({ webhooks }, tenantId) =>
        webhooks.add(
          {
            ...{ webhookId: `wh_${randomUUID()}`, tenantId, url: 'https://hooks.example.com/', types: null },
            ...{ secretId: 'secret-1', secretVersion: 1, previousUntilMs: 0, createdMs: 1 },
          },
          LIMIT,
        ),
    ],
    [
      'waiting messages',
      ({ alerts }, tenantId) =>
        alerts.addMessage(
          {
            ...{ tenantId, deliveryId: `msg_${randomUUID()}`, endpoint: 'wh_1', type: 'test' },
            ...{ payload: '{}', createdMs: 1 },
          },
          LIMIT,
        ),
    ],
  ])('of %s holds for nodes that add at once', async (_name, add) => {
    const tenantId = randomUUID();
    await other.query('select pg_advisory_lock(1)');
    const added = Promise.all(stores.map((store) => add(store, tenantId)));
    await bothWait();
    await other.query('select pg_advisory_unlock(1)');
    expect((await added).toSorted()).toEqual([false, true]);
    expect((await other.query('select 1 from leases')).rowCount).toBe(0);
  });
});
