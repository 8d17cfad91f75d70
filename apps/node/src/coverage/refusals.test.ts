import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ServiceError } from '@cer/http-service';
import { createLogger } from '@cer/http-service/process';
import { sqliteTestDatabase, type TestDatabase } from '@cer/sql-store/testing';
import { newRecord } from '../../test/store/new-record.js';
import { openStore, type Store } from '../store/index.js';
import { createRefusalCounts } from './refusals.js';

const TENANTS = 1_200;

describe('counts of refusals', () => {
  let database: TestDatabase;
  let store: Store;

  beforeEach(async () => {
    database = await sqliteTestDatabase();
    store = await openStore({ databaseUrl: database.url, queueLimit: 100 });
  });
  afterEach(async () => {
    await store.close();
    await database.remove();
  });

  it('are written once each when a part of them fails', async () => {
    const refusals = createRefusalCounts({
      store,
      now: () => new Date('2026-03-04T05:06:07Z'),
      logger: createLogger({ service: 'node', level: 'silent' }),
    });
    const refuse = (tenant: number): void => {
      refusals.refused(`tenant-${tenant}`, new ServiceError({ code: 'VALIDATION_ERROR', message: 'refused' }));
    };
    const written = (): Promise<readonly unknown[]> =>
      database.query('select count(*) as tenants, min(count) as least, max(count) as most from coverage_counts');
    for (let tenant = 0; tenant < TENANTS; tenant += 1) refuse(tenant);
    await database.query(`create trigger full before insert on coverage_counts
      when new.tenant_id = 'tenant-${TENANTS / 2}' begin select raise(abort, 'full'); end`);

    await expect(refusals.flush()).rejects.toMatchObject({ code: 'STORE_ROW_REFUSED' });
    await database.query('drop trigger full');
    await refusals.flush();
    expect(await written()).toEqual([{ tenants: TENANTS, least: 1, most: 1 }]);

    for (let tenant = 0; tenant < TENANTS; tenant += 1) refuse(tenant);
    await refusals.close();
    expect(await written()).toEqual([{ tenants: TENANTS, least: 2, most: 2 }]);
  });

  it('name the application of a certificate made just before', async () => {
    const refusals = createRefusalCounts({
      store,
      now: () => new Date('2026-03-04T05:06:07Z'),
      logger: createLogger({ service: 'node', level: 'silent' }),
    });
    await store.records.recordOnce(newRecord({ tenantId: 'tenant', appId: 'desk' }));
    const refused = refusals.counting('tenant', async (seen) => {
      seen({ appId: 'desk' });
      throw new ServiceError({ code: 'VALIDATION_ERROR', message: 'refused' });
    });
    await expect(refused).rejects.toThrow('refused');
    await refusals.close();
    const counts = await database.query("select app_id, outcome from coverage_counts where outcome <> 'certified'");
    expect(counts).toEqual([{ app_id: 'desk', outcome: 'VALIDATION_ERROR' }]);
  });
});
