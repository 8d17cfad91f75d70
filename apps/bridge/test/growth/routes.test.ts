import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { namedRows, routesOfRows } from '@cer/http-service/testing';
import { describeGrowth } from '@cer/http-service/testing/request-costs';
import { countedTestDatabase, preparedPlanFaults, sqliteTestDatabase, type ReadsMany } from '@cer/sql-store/testing';
import { exportOf, span } from '../otlp-json.js';
import { startNodeProcess, type NodeProcess } from '../service-process.js';
import { SERVICE_TOKEN, startStubControlPlane, type StubControlPlane } from '../stub-control-plane.js';
import { ASKED, callerOf, populatedBridge, traceOf, type AskedRow } from './populated-bridge.js';

/** The node of this bridge answers. */
const statusOf = (row: AskedRow): number => {
  const { [callerOf(row)]: status } = row.expected;
  return status === 503 ? 200 : status;
};
/** Pages that show the newest executions, and those of the last hour. */
const SHOWS_LIST: ReadonlySet<string> = new Set(['GET /', 'GET /events']);

const execution = { provider: 'p', model: 'm', input: 'i', output: 'o' };
const list = <T>(size: number, make: () => T): T[] => Array.from({ length: size }, make);

/** Bodies of `size` parts; null: the body of the route has no part that can be repeated. */
const BODIES: Readonly<Record<string, ((size: number) => unknown) | null>> = {
  'POST /api/v1/ingest/executions': (size) => ({ executions: list(size, () => execution) }),
  'POST /api/v1/ingest/executions: lines': (size) => list(size, () => `${JSON.stringify(execution)}\n`).join(''),
  'POST /v1/traces': (size) => exportOf(...list(size, () => span())),
  'POST /v1/traces: a trace': traceOf,
  'POST /api/v1/auth/handoff': null,
  'POST /api/v1/auth/logout': null,
};

/** On SQLite: alone, none of these finds few rows. */
const FEW_VALUES = new Set(['tenant_id', 'outcome', 'source', 'issuer']);
const READS_MANY: ReadsMany = [[/^SEARCH ingests USING INDEX ingests_tenant .* limit \?$/, 'the first of its order']];

let controlPlane: StubControlPlane;
let node: NodeProcess;

beforeAll(async () => {
  controlPlane = await startStubControlPlane();
  node = await startNodeProcess(controlPlane.url, SERVICE_TOKEN);
});
afterAll(async () => {
  await node.stop();
  node.remove();
  await controlPlane.close();
});

describeGrowth({
  rows: namedRows(ASKED),
  populate: async (size) => populatedBridge(size, await countedTestDatabase(), { controlPlane, nodeUrl: node.url }),
  bodies: BODIES,
  readsMany: ({ route }) => SHOWS_LIST.has(route),
  statusOf,
});

it('makes a large body for every route that takes one', () => {
  const posted = routesOfRows(ASKED).filter((route) => route.startsWith('POST '));
  expect(posted.filter((route) => BODIES[route] === undefined)).toEqual([]);
});

it('finds few rows of each table on SQLite', async () => {
  const database = await sqliteTestDatabase();
  const bridge = await populatedBridge(2, database, { controlPlane, nodeUrl: node.url });
  const rules = { fewValues: FEW_VALUES, readsMany: READS_MANY };
  const faults = await preparedPlanFaults(database.query, rules, async () => {
    for (const row of ASKED) await bridge.send(row);
    return bridge;
  });
  expect(faults).toEqual([]);
});
