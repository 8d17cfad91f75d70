import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  answerFaults,
  chartIngressOf,
  namedRows,
  pollutedKinds,
  routesOfRows,
  specifiedRoutes,
} from '@cer/http-service/testing';
import { dashboardRoutes } from '../../src/app.js';
import { CALLERS, ROWS, type Caller } from './caller-table.js';
import { CANARY, HOSTILE, startWholeDashboard, type WholeDashboard } from './whole-dashboard.js';

// Every route of the dashboard with every caller. A route without a row fails.

const named = namedRows(ROWS);
const STRANGERS: ReadonlySet<Caller> = new Set(CALLERS.slice(0, CALLERS.indexOf('auditor')));
/** Public and the same for every caller. */
const SAVED = 'GET /.well-known/jwks.json';
const PUBLIC_FILE = /^GET \/assets\//;

describe('the matrix of callers and routes', () => {
  let whole: WholeDashboard;
  beforeAll(async () => {
    whole = await startWholeDashboard();
  });
  afterAll(() => whole.close());

  it('has a row for every route', () => {
    const routes = dashboardRoutes(whole.dashboard.deps)
      .map(({ method, path }) => `${method} ${path}`)
      .filter((route) => !PUBLIC_FILE.test(route));
    expect(routesOfRows(ROWS)).toEqual(routes.toSorted());
  });

  it('has the routes of the specification for programs and shared links', () => {
    const isSpecified = (route: string): boolean =>
      / \/(\.well-known\/|internal\/|openapi\.json$|shared\/|v1\/)/.test(route);
    expect(routesOfRows(ROWS).filter(isSpecified)).toEqual(specifiedRoutes('dashboard'));
  });

  it('is exposed by the chart except metrics and internal routes', () => {
    const { closed, unused } = chartIngressOf('dashboard', dashboardRoutes(whole.dashboard.deps));
    expect(unused).toEqual([]);
    expect(closed.filter((path) => !path.startsWith('/internal/'))).toEqual(['/metrics']);
    expect(closed).toContain('/internal/v1/keys/introspect');
  });

  it.each(named)('has the expected statuses: %s', async (_name, row) => {
    const statuses: [Caller, number][] = [];
    for (const caller of CALLERS) {
      const answer = await whole.send(row, caller);
      const { status, text } = answer;
      statuses.push([caller, status]);
      const headers: Readonly<Record<string, unknown>> = answer.headers;
      expect([caller, answerFaults({ headers, text }, row.route === SAVED)]).toEqual([caller, []]);
      // Operators read the activity of every account.
      const isOperator = caller === 'operator token' && row.expected[caller] === 200;
      if (STRANGERS.has(caller) && !isOperator) expect([caller, text.includes(CANARY)]).toEqual([caller, false]);
    }
    expect(Object.fromEntries(statuses)).toEqual(row.expected);
  });
});

describe('a hostile request', () => {
  let whole: WholeDashboard;
  beforeAll(async () => {
    whole = await startWholeDashboard();
  });
  afterAll(() => whole.close());

  const posted = named.filter(([, { route }]) => route.startsWith('POST '));
  const done: number[] = [];

  it.each(posted)('changes no prototype: %s', async (_name, row) => {
    for (const caller of ['anonymous', 'service token', 'operator token', 'owner'] as const) {
      const { status, headers } = await whole.send(row, caller, HOSTILE);
      // Nodes and providers of this dashboard do not answer: 503.
      expect([caller, status < 500 || status === 503]).toEqual([caller, true]);
      const isForSignIn = String(headers['location']).startsWith('/sign-in?done=session-ended');
      if ((status === 200 || status === 303) && !isForSignIn) done.push(status);
    }
    expect(pollutedKinds()).toEqual([]);
  });

  it('was accepted by some routes, its other members ignored', () => {
    expect(done.length).toBeGreaterThan(posted.length / 2);
  });
});
