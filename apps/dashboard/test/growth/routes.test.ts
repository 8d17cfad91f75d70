import { expect, it } from '@jest/globals';
import { namedRows } from '@cer/http-service/testing';
import { describeGrowth } from '@cer/http-service/testing/request-costs';
import { countedTestDatabase, preparedPlanFaults, sqliteTestDatabase, type ReadsMany } from '@cer/sql-store/testing';
import { ROWS } from '../security/caller-table.js';
import { callerOf, populatedDashboard } from './populated-dashboard.js';

// The node of this dashboard does not answer.

/** Lists of what an account has, and of its acts. */
const SHOWS_LIST: ReadonlySet<string> = new Set([
  ...['GET /', 'GET /shares', 'GET /keys', 'GET /users', 'GET /usage', 'GET /activity', 'GET /activity/export'],
  ...['POST /keys', 'POST /shares', 'POST /users', 'GET /v1/operator/activity'],
]);

/** Bodies of `size` parts, for routes that services call. Forms have few fields, so one represents all. */
const BODIES: Readonly<Record<string, ((size: number) => unknown) | null>> = {
  'POST /internal/v1/usage': (size) => ({
    json: {
      reportId: `report-of-${size}`,
      items: Array.from({ length: size }, (_, at) => ({ tenantId: `tenant ${at}`, kind: 'certify', count: 1 })),
    },
  }),
  'POST /users': (size) => ({
    fields: Object.fromEntries(Array.from({ length: size }, (_, at) => [`field${at}`, 'x'])),
  }),
  'POST /internal/v1/keys/introspect': null,
  'POST /internal/v1/sessions/introspect': null,
};

/** On SQLite: alone, none of these finds few rows. */
const FEW_VALUES = new Set(['tenant_id', 'kind', 'status', 'plan_id', 'issuer', 'role']);
const READS_MANY: ReadsMany = [
  [/^SEARCH account_acts USING INDEX account_acts_tenant .* limit \?$/, 'the first of its order'],
  [/^SEARCH (api_keys|shares|users) USING INDEX \w+_tenant .* order by /, 'a page of those of an account'],
  [/^SEARCH api_keys USING INDEX api_keys_tenant .*: select count/, 'the working keys of an account, counted'],
  [/^SEARCH \w+ USING .*sqlite_autoindex_(tenants|plans)_1 /, 'one row of a tenant'],
];

describeGrowth({
  rows: namedRows(ROWS),
  populate: async (size) => populatedDashboard(size, await countedTestDatabase()),
  bodies: BODIES,
  readsMany: ({ route }) => SHOWS_LIST.has(route),
  statusOf: (row) => row.expected[callerOf(row)],
});

it('makes a large body for every route that takes JSON', () => {
  const taking = ROWS.filter(({ json }) => json !== undefined).map(({ route }) => route);
  expect(taking.filter((route) => BODIES[route] === undefined)).toEqual([]);
});

it('finds few rows of each table on SQLite', async () => {
  const database = await sqliteTestDatabase();
  const dashboard = await populatedDashboard(2, database);
  const rules = { fewValues: FEW_VALUES, readsMany: READS_MANY };
  const faults = await preparedPlanFaults(database.query, rules, async () => {
    for (const row of ROWS) await dashboard.send(row);
    return dashboard;
  });
  expect(faults).toEqual([]);
});
