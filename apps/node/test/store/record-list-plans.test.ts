import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { postgresTestDatabase, sqliteTestDatabase, type TestDatabase } from '@cer/sql-store/testing';

import { openStore, type RecordFilter, type Store } from '../../src/store/index.js';
import { FIND_UNDESCRIBED } from '../../src/store/sql/record-facts.js';
import { ANY_LOGGED, ANY_UNDESCRIBED, LIST_LOOKUPS } from '../../src/store/sql/record-list.js';
import { pageStatement } from '../../src/store/sql/record-pages.js';
import { newRecord } from './new-record.js';

const TIMES = [
  {},
  { attestedFrom: '2026-01-01T00:00:00.000Z' },
  { attestedTo: '2026-01-02T00:00:00.000Z' },
  { attestedFrom: '2026-01-01T00:00:00.000Z', attestedTo: '2026-01-02T00:00:00.000Z' },
];

type Filter = Omit<RecordFilter, 'tenantId'>;

/** Filters by the index that leads to their records on SQLite, and further filters that the same index answers. */
const LEADS: readonly (readonly [index: string, column: string | null, filters: readonly Filter[]])[] = [
  ['records_list', null, [{}]],
  ['records_list_protocol', 'protocol_version', [{ protocolVersion: '1' }]],
  ['records_list_provider', 'provider', [{ provider: 'p' }, { provider: 'p', protocolVersion: '1' }]],
  [
    'records_find_app',
    'app_id',
    [{ appId: 'a' }, { appId: 'a', protocolVersion: '1' }, { appId: 'a', provider: 'p', protocolVersion: '1' }],
  ],
  [
    'records_list_model',
    'model',
    [
      ...[{ model: 'm' }, { model: 'm', provider: 'p' }, { model: 'm', appId: 'a' }],
      { model: 'm', provider: 'p', protocolVersion: '1', appId: 'a' },
    ],
  ],
  [
    'records_find_stamped',
    null,
    [
      ...[{ timestamped: true as const }, { timestamped: true as const, model: 'm' }],
      { timestamped: true, model: 'm', provider: 'p', protocolVersion: '1', appId: 'a' },
    ],
  ],
];

const COLUMNS = {
  ...{ model: 'model', appId: 'app_id', provider: 'provider', protocolVersion: 'protocol_version' },
  timestamped: 'stamped_at',
} as const;

/** Of every kind and period for a list without further filters, else of the extremes. */
const KINDS: readonly Filter[] = [{}, { bundleType: 'b' }].flatMap((type) => [
  type,
  { ...type, status: 'hidden' as const },
]);

const PLACE = { time: '2026-01-01T12:00:00.000Z', seq: 7 };

/** Every page statement of a filter with its parameters inlined. */
function pagesOf(filter: Filter, dialect: 'sqlite' | 'postgres'): readonly string[] {
  const isPlain = Object.keys(filter).length === 0;
  const [kinds, periods] = [KINDS, TIMES].map((all) => all.filter((_, at) => isPlain || at === 0 || at === 3));
  return (kinds ?? [])
    .flatMap((kind) => (periods ?? []).map((times) => ({ tenantId: 't', ...filter, ...kind, ...times })))
    .flatMap((whole) =>
      (['oldest', 'newest'] as const).flatMap((order) =>
        [null, PLACE].map((after) => inlined(whole, order, after, dialect)),
      ),
    );
}

function inlined(
  filter: RecordFilter,
  order: 'oldest' | 'newest',
  after: typeof PLACE | null,
  dialect: 'sqlite' | 'postgres',
): string {
  const { sql, values } = pageStatement(filter, order, after, 100, { lastSeq: 1_000_000, dialect });
  return sql.replaceAll(/\$(\d+)/g, (_, index: string) => {
    const value = values[Number(index) - 1] ?? null;
    return typeof value === 'string' ? `'${value}'` : String(value);
  });
}

/** The steps of a plan of PostgreSQL that read records. */
function scansIn(plan: unknown): readonly Readonly<Record<string, unknown>>[] {
  if (typeof plan !== 'object' || plan === null) return [];
  const below = Object.values(plan).flatMap(scansIn);
  return 'Index Name' in plan || ('Relation Name' in plan && plan['Relation Name'] === 'records')
    ? [{ ...plan }, ...below]
    : below;
}

/** Filters that name few records. */
const NAMED: readonly Filter[] = [
  { certificateHash: 'h7' },
  { executionId: 'e7' },
  { projectHash: 'p' },
  { executionId: 'e7', model: 'm', status: 'hidden' },
  { reviewedHash: 'h7' },
];

describe('a page of the list', () => {
  describe('on SQLite', () => {
    let database: TestDatabase;

    beforeAll(async () => {
      database = await sqliteTestDatabase();
      await (await openStore({ databaseUrl: database.url, queueLimit: 1 })).close();
    });
    afterAll(() => database.remove());

    it.each(LEADS)('is read from %s alone, one bounded part per run', async (index, column, filters) => {
      const lead = column === null ? '' : `${column}=? AND `;
      for (const page of filters.flatMap((filter) => pagesOf(filter, 'sqlite'))) {
        const steps = (await database.query(`explain query plan ${page}`)).map(({ detail }) => String(detail));
        const searches = steps.filter((step) => /^(SEARCH|SCAN) records/.test(step));
        expect(searches).not.toEqual([]);
        for (const step of searches) {
          expect(step).toBe(
            `SEARCH records USING COVERING INDEX ${index} (tenant_id=? AND ${lead}bundle_type=? AND visibility=? AND <expr>>? AND <expr><?)`,
          );
        }
        // Each run is sorted: only the rows found, at most a page of each, are merged.
        for (const [at, step] of steps.entries()) {
          if (step.startsWith('SEARCH')) expect(steps[at + 1] ?? '').not.toContain('TEMP B-TREE');
        }
      }
    });

    it.each(NAMED)('looks up what %j names', async (filter) => {
      for (const page of pagesOf(filter, 'sqlite')) {
        const steps = (await database.query(`explain query plan ${page}`)).map(({ detail }) => String(detail));
        expect(steps.filter((step) => /^SCAN (?!step|\(subquery|CONSTANT|found|run)/.test(step))).toEqual([]);
        expect(steps).toContainEqual('SEARCH records USING INTEGER PRIMARY KEY (rowid=?)');
        expect(steps.filter((step) => /^SEARCH \w+ USING .*\(tenant_id=\?\)/.test(step))).toEqual([]);
      }
    });

    it('is completed by rows found by seq or hash', async () => {
      for (const lookup of [...LIST_LOOKUPS, ANY_UNDESCRIBED, FIND_UNDESCRIBED]) {
        const plan = await database.query(`explain query plan ${lookup.replaceAll(/\$\d+/g, '1')}`);
        for (const { detail } of plan)
          expect(detail).toMatch(/^SEARCH records USING (INTEGER PRIMARY KEY|(COVERING )?INDEX)/);
      }
    });
  });

  it('finds whether an account is logged without reading records', async () => {
    const database = await sqliteTestDatabase();
    await (await openStore({ databaseUrl: database.url, queueLimit: 1 })).close();
    const plan = await database.query(`explain query plan ${ANY_LOGGED.replace('$1', "'t'")}`);
    expect(plan.map(({ detail }) => detail)).toEqual([
      'SCAN k USING COVERING INDEX log_keys_origin_unique',
      'SEARCH l USING COVERING INDEX log_leaves_number (log_id=? AND tenant_id=? AND number>?)',
    ]);
    await database.remove();
  });

  describe('on PostgreSQL', () => {
    let database: TestDatabase;
    let store: Store;

    beforeAll(async () => {
      database = await postgresTestDatabase();
      store = await openStore({ databaseUrl: database.url, queueLimit: 10_000 });
      // Enough rows for an index to pay.
      await database.query(`insert into records (tenant_id, certificate_hash, kind, bundle_type, app_id, attestation_id,
          attested_at, kid, request_id, meta_json, visibility, protocol_version, provider, model, described, stamped_at)
        select 't', 'h' || n, 'full', 'b', case when n % 20 < 2 then 'a' else 'z' end, 'i', '2026-01-01T00:00:00.000Z', 'k', 'r', '{}',
          case when n % 2 = 0 then 'hidden' else 'visible' end,
          case when n % 19 < 2 then '1' else '9' end, case when n % 18 < 2 then 'p' else 'z' end,
          case when n % 17 < 2 then 'm' else 'z' end, '1', case when n % 16 < 2 then 'now' end
        from generate_series(1, 20000) as n`);
      await database.query(`insert into executions (tenant_id, execution_id, certificate_hash, bundle_created_at,
          snapshot_timestamp)
        select 't', 'e' || n, 'h' || n, 'c', 's' from generate_series(1, 20000) as n`);
      await database.query('analyze executions');
      await database.query('analyze records');
    });
    afterAll(async () => {
      await store.close();
      await database.remove();
    });

    const filters = LEADS.flatMap(([, , each]) => each);

    it.each(filters)('decides %j within an index, one bounded part per run', async (filter) => {
      for (const page of pagesOf(filter, 'postgres')) {
        const [row] = await database.query(`explain (format json) ${page}`);
        const scans = scansIn(row);
        expect(scans).not.toEqual([]);
        for (const scan of scans) {
          const { 'Index Name': index, 'Index Cond': condition, Filter: rowFilter } = scan;
          // A filter would read each row.
          expect([index, rowFilter]).toEqual([expect.stringMatching(/^records_(list|find)/), undefined]);
          expect(condition).toMatch(/tenant_id = .*bundle_type = .*visibility = .*ROW\(COALESCE/);
          const named = Object.entries(COLUMNS).filter(([member]) => member in filter);
          // The predicate of its own index represents a timestamp.
          for (const [, column] of named.filter(
            ([member]) => member !== 'timestamped' || index !== 'records_find_stamped',
          ))
            expect(condition).toMatch(new RegExp(`\\(${column} (= '|IS NOT NULL)`));
        }
      }
    });

    it.each(NAMED)('looks up what %j names', async (filter) => {
      for (const page of pagesOf(filter, 'postgres')) {
        const [row] = await database.query(`explain (format json) ${page}`);
        expect(JSON.stringify(row)).not.toMatch(/"Seq Scan"[^}]*"Relation Name":"(records|executions)"/);
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
      const state = { isTaken: false };
      const snapshot = store.recordList.snapshot().then((found) => {
        state.isTaken = true;
        return found;
      });
      // It looks for writers again: the first look did not end its wait.
      const looks = new Set<string>();
      while (looks.size < 2 && !state.isTaken) {
        const rows = await database.query(`select query_start::text as at from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid() and query like '%virtualtransaction as writer%'`);
        for (const row of rows) looks.add(String(row['at']));
      }
      expect(state.isTaken).toBe(false);
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
