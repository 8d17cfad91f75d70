import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { postgresTestDatabase, sqliteTestDatabase, type TestDatabase } from '@cer/sql-store/testing';

import { openStore, type RecordFilter, type Store } from '../../src/store/index.js';
import { LIST_LOOKUPS, pageStatement } from '../../src/store/sql/record-list.js';
import { newRecord } from './new-record.js';

const ONE = { app: { appId: 'a' }, type: { bundleType: 'b' }, status: { status: 'hidden' } } as const;
const TIMES = [
  {},
  { attestedFrom: '2026-01-01T00:00:00.000Z' },
  { attestedTo: '2026-01-02T00:00:00.000Z' },
  { attestedFrom: '2026-01-01T00:00:00.000Z', attestedTo: '2026-01-02T00:00:00.000Z' },
];

/** Every combination of filters. */
const FILTERS: readonly RecordFilter[] = [{}, ONE.app].flatMap((app) =>
  [{}, ONE.type].flatMap((type) =>
    [{}, ONE.status].flatMap((status) =>
      TIMES.map((times) => ({ tenantId: 't', ...app, ...type, ...status, ...times })),
    ),
  ),
);

const PLACE = { time: '2026-01-01T12:00:00.000Z', seq: 7 };

/** Every page statement with its parameters inlined. */
const PAGES: readonly string[] = FILTERS.flatMap((filter) =>
  (['oldest', 'newest'] as const).flatMap((order) =>
    [null, PLACE].map((after) => {
      const { sql, values } = pageStatement(filter, order, after, 100, { lastSeq: 1_000_000 });
      return sql.replaceAll(/\$(\d+)/g, (_, index: string) => {
        const value = values[Number(index) - 1] ?? null;
        return typeof value === 'string' ? `'${value}'` : String(value);
      });
    }),
  ),
);

describe('a page of the list', () => {
  it('is requested in every way', () => {
    expect(PAGES).toHaveLength(2 * 2 * 2 * 4 * 2 * 2);
  });

  describe('on SQLite', () => {
    let database: TestDatabase;

    beforeAll(async () => {
      database = await sqliteTestDatabase();
      await (await openStore({ databaseUrl: database.url, queueLimit: 1 })).close();
    });
    afterAll(() => database.remove());

    it('is read from an index alone, one bounded part of it for each run', async () => {
      for (const page of PAGES) {
        const steps = (await database.query(`explain query plan ${page}`)).map(({ detail }) => String(detail));
        const searches = steps.filter((step) => /^(SEARCH|SCAN) records/.test(step));
        expect(searches).not.toEqual([]);
        for (const step of searches) {
          expect(step).toMatch(/^SEARCH records USING COVERING INDEX records_list(_app)? \(tenant_id=/);
          expect(step).toMatch(/(app_id=\? AND )?bundle_type=\? AND visibility=\? AND <expr>>\? AND <expr><\?\)$/);
        }
        // Each run is sorted: only the rows found, at most a page of each, are merged.
        for (const [index, step] of steps.entries()) {
          if (step.startsWith('SEARCH')) expect(steps[index + 1] ?? '').not.toContain('TEMP B-TREE');
        }
      }
    });

    it('is completed by rows found by seq or hash', async () => {
      for (const lookup of LIST_LOOKUPS) {
        const plan = await database.query(`explain query plan ${lookup.replaceAll(/\$\d+/g, '1')}`);
        for (const { detail } of plan) expect(detail).toMatch(/^SEARCH records USING (INTEGER PRIMARY KEY|INDEX)/);
      }
    });
  });

  describe('on PostgreSQL', () => {
    let database: TestDatabase;
    let store: Store;

    beforeAll(async () => {
      database = await postgresTestDatabase();
      store = await openStore({ databaseUrl: database.url, queueLimit: 10_000 });
      // Enough rows for an index to pay.
      await database.query(`insert into records (tenant_id, certificate_hash, kind, bundle_type, app_id, attestation_id,
          attested_at, kid, request_id, meta_json, visibility)
        select 't', 'h' || n, 'full', 'b', 'a', 'i', '2026-01-01T00:00:00.000Z', 'k', 'r', '{}',
          case when n % 2 = 0 then 'hidden' else 'visible' end
        from generate_series(1, 20000) as n`);
      await database.query('analyze records');
    });
    afterAll(async () => {
      await store.close();
      await database.remove();
    });

    it('is read from an index for each run', async () => {
      for (const page of PAGES) {
        const [row] = await database.query(`explain (format json) ${page}`);
        const plan = JSON.stringify(row);
        expect(plan).not.toContain('Seq Scan');
        expect(plan).not.toContain('Bitmap');
        const conditions = [...plan.matchAll(/"Index Cond":"([^"]*)"/g)].map(([, condition]) => condition);
        expect(conditions).not.toEqual([]);
        for (const condition of conditions) {
          expect(condition).toMatch(/tenant_id = .*bundle_type = .*visibility = .*ROW\(COALESCE/);
        }
      }
    });

    it('waits for uncommitted transactions with smaller seqs', async () => {
      const other = new pg.Client(database.url);
      await other.connect();
      await other.query('begin');
      await other.query(`insert into records (tenant_id, certificate_hash, kind, bundle_type, attestation_id, attested_at,
          kid, request_id, meta_json)
        values ('late', 'late', 'full', 'cer.ai.execution.v1', 'i', '2026-01-01T00:00:00.000Z', 'k', 'r', '{}')`);
      // Its seq is higher than that of the uncommitted row.
      await store.records.recordOnce(newRecord({ tenantId: 'late' }));
      let taken = false;
      const snapshot = store.recordList.snapshot().then((found) => {
        taken = true;
        return found;
      });
      await sleep(50);
      expect(taken).toBe(false);
      await other.query('commit');
      const found: string[] = [];
      for await (const { record } of store.recordList.all({ tenantId: 'late' }, await snapshot)) {
        found.push(record.certificateHash);
      }
      expect(found).toHaveLength(2);
      await other.end();
    });
  });
});
