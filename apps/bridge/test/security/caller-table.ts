import { everyCaller, type CallerRow, type Statuses } from '@cer/http-service/testing';
import { exportOf, span } from '../otlp-json.js';

/** The callers of the matrix, in the order in which they ask: those that may change something are last. */
export const CALLERS = [
  'anonymous',
  'malformed key',
  'unknown key',
  'revoked key',
  'service token',
  'handoff token as a key',
  'key without ingest',
  'key without certify',
  'key of a suspended account',
  'key of an account without the bridge',
  'key of another account',
  'key',
  'unknown session',
  'ended session',
  'session of a removed user',
  'session of another account',
  'session',
] as const;
export type Caller = (typeof CALLERS)[number];
type Expected = Statuses<Caller>;

export interface Row extends CallerRow<Caller> {
  readonly body?: unknown;
  /** Sent as `Origin`; the bridge's own by default. */
  readonly origin?: string;
}

const EVERY = everyCaller(CALLERS);

/** Admitted callers are answered 503, since the node of this bridge does not answer. */
const ADMITTED = 503;
/** A route for machines: a session does not open it. */
const KEYED: Expected = {
  ...EVERY(401),
  'key without ingest': 403,
  'key without certify': 403,
  'key of a suspended account': 403,
  'key of an account without the bridge': 403,
  'key of another account': ADMITTED,
  key: ADMITTED,
};
/** A page for people: a key does not open it. */
const SESSION = (without: number): Expected => ({
  ...EVERY(without),
  'session of another account': 200,
  session: 200,
});
const ELSEWHERE = 'https://elsewhere.example';

export const ROWS: readonly Row[] = [
  {
    route: 'POST /api/v1/ingest/executions',
    expected: KEYED,
    body: { provider: 'p', model: 'm', input: 'i', output: 'o' },
  },
  { route: 'POST /v1/traces', expected: KEYED, body: exportOf(span()) },
  { route: 'GET /', about: 'an invitation without a session', expected: EVERY(200) },
  { route: 'GET /send', expected: SESSION(303) },
  { route: 'GET /events', expected: SESSION(204) },
  { route: 'GET /api/v1/auth/session', expected: SESSION(401) },
  { route: 'POST /api/v1/auth/handoff', about: 'without a token', expected: EVERY(401), body: {} },
  {
    route: 'POST /api/v1/auth/handoff',
    about: 'from another site',
    expected: EVERY(403),
    body: {},
    origin: ELSEWHERE,
  },
  ...['/health', '/metrics', '/openapi.json'].map((path): Row => ({ route: `GET ${path}`, expected: EVERY(200) })),
  { route: 'GET /ready', about: 'without a node', expected: EVERY(503) },
  { route: 'POST /api/v1/auth/logout', about: 'from another site', expected: EVERY(403), origin: ELSEWHERE },
  { route: 'POST /api/v1/auth/logout', expected: EVERY(204) },
];
