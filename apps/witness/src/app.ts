import {
  createRouter,
  databaseChecks,
  ok,
  pathParam,
  readinessHandler,
  unavailable,
  type Handler,
  type ResponseHeaders,
  type Route,
  type RouterOptions,
  type ServiceError,
  type ServiceResponse,
} from '@cer/http-service';
import { metricsHandler, type Logger, type Metrics } from '@cer/http-service/process';
import { StoreError } from '@cer/sql-store';
import { formatVkey, originHashOf } from '@cer/tlog/note';
import { addCheckpoint, assertMaySign, type Answer, type WitnessDeps } from './checkpoints/add-checkpoint.js';
import type { KnownLog } from './logs/known-logs.js';

export interface AppDeps extends WitnessDeps {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly trustedProxies?: RouterOptions['trustedProxies'];
}

const MAX_BODY_BYTES = 16 * 1024;
const TEXT = 'text/plain; charset=utf-8';
const SECONDS_OF_AN_HOUR = '3600';

const STATUS = {
  malformed: 400,
  'unknown-log': 404,
  'not-signed': 403,
  inconsistent: 422,
  'clock-behind': 503,
} as const;

/** The witness as a listener of `node:http`; it does not listen. */
export function createApp(deps: AppDeps): ReturnType<typeof createRouter> {
  const { logger, metrics, trustedProxies } = deps;
  return createRouter(witnessRoutes(deps), { logger, metrics, trustedProxies, translate });
}

/** Nothing was cosigned, so that the submission can be sent again; any other error becomes INTERNAL_ERROR. */
function translate(error: unknown): ServiceError | undefined {
  if (!(error instanceof StoreError) || error.code !== 'STORE_UNAVAILABLE') return undefined;
  return unavailable('The database cannot be read or written now: retry', error);
}

/** All routes of the witness, as data: a test compares them with what each caller may do. */
export function witnessRoutes(deps: AppDeps): readonly Route[] {
  const { store, logs, key, logger, metrics } = deps;
  const byHash = new Map([...logs.values()].map((log) => [originHashOf(log.origin), log]));
  const list = ok({
    vkey: formatVkey(key),
    logs: [...byHash].map(([hash, { origin, keys }]) => ({
      origin,
      vkeys: keys.map(formatVkey),
      checkpoint: `/${hash}/checkpoint`,
    })),
  });
  const logOf = (handle: (log: KnownLog) => Promise<ServiceResponse>): Handler => {
    return async (request) => {
      const log = byHash.get(pathParam(request, 'hash'));
      return log === undefined ? text(404, 'the witness does not follow this log') : handle(log);
    };
  };
  return [
    {
      method: 'POST',
      path: '/add-checkpoint',
      bodyLimitBytes: MAX_BODY_BYTES,
      handler: async ({ body, requestId }) => {
        const answer = await addCheckpoint(body, deps);
        if (answer.status === 'inconsistent' || answer.status === 'clock-behind') {
          logger.warn({ requestId, reason: answer.rule }, 'checkpoint refused');
        }
        return shown(answer);
      },
    },
    {
      method: 'GET',
      path: '/:hash/checkpoint',
      cors: 'public',
      handler: logOf(async ({ origin }) => {
        const note = (await store.head(origin))?.note ?? null;
        return note === null ? text(404, 'the witness has not cosigned a checkpoint of this log') : text(200, note);
      }),
    },
    {
      method: 'GET',
      path: '/evidence/:hash',
      cors: 'public',
      handler: logOf(async ({ origin }) => ok({ origin, evidence: await store.evidence(origin) })),
    },
    {
      method: 'GET',
      path: '/',
      cors: 'public',
      handler: async () => list,
    },
    { method: 'GET', path: '/health', handler: async () => ok({ status: 'ok' }) },
    {
      method: 'GET',
      path: '/ready',
      handler: readinessHandler([
        ...databaseChecks(store),
        ['the clock is before the last cosignature: set it right', () => assertMaySign(deps)],
      ]),
    },
    { method: 'GET', path: '/metrics', handler: metricsHandler(metrics) },
  ];
}

function shown(answer: Answer): ServiceResponse {
  switch (answer.status) {
    case 'cosigned':
      return text(200, answer.line);
    case 'conflict':
      return { status: 409, headers: { 'content-type': 'text/x.tlog.size' }, body: `${String(answer.size)}\n` };
    case 'too-many':
      return text(429, answer.rule, { 'retry-after': SECONDS_OF_AN_HOUR });
    case 'malformed':
    case 'unknown-log':
    case 'not-signed':
    case 'inconsistent':
    case 'clock-behind':
      return text(STATUS[answer.status], answer.rule);
  }
}

function text(status: number, body: string, headers: ResponseHeaders = {}): ServiceResponse {
  const ended = body.endsWith('\n') ? body : `${body}\n`;
  return { status, headers: { 'content-type': TEXT, 'cache-control': 'no-store', ...headers }, body: ended };
}
