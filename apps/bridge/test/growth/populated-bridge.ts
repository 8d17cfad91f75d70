import { randomBytes, randomUUID } from 'node:crypto';
import type { PopulatedService } from '@cer/http-service/testing/request-costs';
import type { CountedDatabase, TestDatabase } from '@cer/sql-store/testing';
import { exportOf, GEN_AI, span } from '../otlp-json.js';
import { ROWS, type Caller, type Row } from '../security/caller-table.js';
import { handoffToken, type StubControlPlane } from '../stub-control-plane.js';
import { startTestBridge, type TestBridge } from '../test-bridge.js';

/** A row of the table of callers, or another request of its route that does more. */
export interface AskedRow extends Row {
  readonly query?: string;
  readonly mediaType?: string;
}

/** Who is admitted; a person who signs in has no session yet. */
export const callerOf = ({ route, about }: Row): Caller => {
  if (about === WITH_TOKEN) return 'anonymous';
  return /ingest|traces/.test(route) ? 'key' : 'session';
};
const WITH_TOKEN = 'with a token';

/** Of one trace: its calls, and the root span that seals it. */
export function traceOf(calls: number): unknown {
  const traceId = randomBytes(16).toString('hex');
  const parentSpanId = randomBytes(8).toString('hex');
  const steps = Array.from({ length: calls }, () => span(GEN_AI, { traceId, parentSpanId }));
  return exportOf(...steps, span({ 'http.request.method': 'POST' }, { traceId, spanId: parentSpanId }));
}

/** The table, on a bridge whose node answers, and the requests that it does not have; the row that signs out is last. */
export const ASKED: readonly AskedRow[] = [
  { ...rowOf('POST /v1/traces'), about: 'a trace', query: '?project=trace', body: traceOf(1) },
  { ...rowOf('POST /api/v1/ingest/executions'), about: 'lines', mediaType: 'application/x-ndjson', body: '{}\n' },
  { ...rowOf('POST /api/v1/auth/handoff'), about: WITH_TOKEN, expected: rowOf('GET /health').expected, body: {} },
  ...ROWS,
];

function rowOf(route: string): Row {
  const row = ROWS.find((each) => each.route === route);
  if (row === undefined) throw new Error(`no row: ${route}`);
  return row;
}

export interface Premises {
  readonly controlPlane: StubControlPlane;
  readonly nodeUrl: string;
}

/**
 * A bridge with `size` of each kind of row of one account, among those of others.
 * @param database counted, or one on which plans are made without statistics
 */
export async function populatedBridge(
  size: number,
  database: TestDatabase | CountedDatabase,
  { controlPlane, nodeUrl }: Premises,
): Promise<PopulatedService<AskedRow>> {
  const bridge = await startTestBridge({ nodeUrl, controlPlaneUrl: controlPlane.url, databaseUrl: database.url });
  const tenant = controlPlane.newTenant({ limits: { requestsPerMinute: 1_000_000, executionsPerMonth: null } });
  const user = controlPlane.newUser(tenant);
  const audience = new URL(bridge.url).host;
  const newToken = (): string => handoffToken(controlPlane, { tenantId: tenant.tenantId, userId: user.id, audience });
  const headersOf: Partial<Record<Caller, Readonly<Record<string, string>>>> = {
    key: { authorization: `Bearer ${controlPlane.newKey(tenant)}` },
  };
  const send = async ({ route, query = '', mediaType, origin = bridge.url, ...row }: AskedRow, body = row.body) => {
    const [method = '', path = ''] = route.split(' ');
    const sent = row.about === WITH_TOKEN ? { token: newToken() } : body;
    const answer = await fetch(`${bridge.url}${path}${query}`, {
      method,
      redirect: 'manual',
      headers: { origin, 'content-type': mediaType ?? 'application/json', ...headersOf[callerOf({ route, ...row })] },
      ...(sent !== undefined && { body: typeof sent === 'string' ? sent : JSON.stringify(sent) }),
    });
    const reader = answer.body?.getReader();
    // The stream of a session ends with the connection.
    if (path === '/events') await reader?.read().then(() => reader.cancel());
    else while (reader !== undefined && !(await reader.read()).done);
    return answer;
  };
  for (let at = 0; at < size; at += 1) await addRows(bridge, tenant.tenantId, at);
  const signedIn = await send({ ...rowOf('POST /api/v1/auth/handoff'), about: WITH_TOKEN });
  headersOf.session = { cookie: signedIn.headers.get('set-cookie')?.split(';')[0] ?? '' };
  // Plans follow from what a table holds.
  if ('work' in database) await database.query('analyze');
  return {
    send,
    work: 'work' in database ? database.work : () => ({ statements: 0, rows: 0 }),
    close: async () => {
      await bridge.close();
      await database.remove();
    },
  };
}

/** A session, executions, a trace and a minute of the account, and of three others: it has a part of the rows. */
export async function addRows({ store }: TestBridge, own: string, at: number): Promise<void> {
  const iso = new Date().toISOString();
  const minute = new Date(Date.now() - at * 60_000).toISOString().slice(0, 16);
  for (const tenantId of [own, randomUUID(), randomUUID(), randomUUID()]) {
    const expiresAt = new Date(Date.now() + 3_600_000);
    await store.sessions.startOnce(
      { issuer: 'https://dashboard.example', jti: randomUUID(), expiresAt },
      {
        ...{ tenantId, tenantName: 'Acme', user: { id: randomUUID(), email: 'a@example.org', name: 'A' } },
        ...{ tokenHash: randomBytes(32).toString('hex'), expiresAt, replaces: null, lastSignOutAt: null },
      },
    );
    const ingest = { at: iso, source: 'otlp', provider: 'p', model: 'm', submittedHash: null } as const;
    const seen = { executionId: randomUUID(), certificateHash: null, verificationUrl: null };
    await store.ingests.record(
      tenantId,
      [
        { ...ingest, ...seen, outcome: 'certified', status: 200, reason: null },
        { ...ingest, ...seen, outcome: 'refused', status: 400, reason: 'model: is required' },
      ],
      { certified: 1, refused: 1 },
    );
    await store.limits.takeRequest(tenantId, minute, 1_000);
    await store.limits.takeRoots(tenantId, minute.slice(0, 13), 1, 1_000);
    const traceId = randomBytes(16).toString('hex');
    const step = { spanId: randomBytes(8).toString('hex'), parentSpanId: null, startedAt: iso, bundleJson: '{}' };
    await store.traces.keep(tenantId, traceId, [step]);
    await store.traces.keepRoots(tenantId, [{ traceId, startedAt: iso, endedAt: iso }]);
  }
}
