import { ok, type RequestHead, type ServiceResponse } from '@cer/http-service';
import type { Gate } from '../auth/authenticate.js';
import { COUNT, list, object, OK, TEXT, TEXT_OR_NULL } from '../openapi/answer-shapes.js';
import type { DescribedRoute, JsonSchema, Parameter } from '../openapi/route-description.js';
import { QueryReader } from '../records/list/record-query.js';
import type { CoverageQuery } from '../store/index.js';
import { DAY_MS, dayAfter, dayOfTime } from './days.js';
import { readCoverage, type CoverageDeps } from './read-coverage.js';

export interface CoverageRouteDeps extends CoverageDeps {
  readonly gate: Pick<Gate, 'admit' | 'callerOf'>;
  readonly now: () => Date;
}

const MAX_DAYS = 400;
const DEFAULT_DAYS = 31;
const MAX_LABEL_LENGTH = 256;
/** Counts of an answer, one for each day, application and outcome: a tenant may name any number of applications. */
const MAX_COUNTS = 100_000;

const DAY: JsonSchema = { ...TEXT, pattern: '^\\d{4}-\\d\\d-\\d\\d$' };
const QUERY: readonly Parameter[] = [
  { name: 'from', description: 'First day, in UTC.', schema: DAY },
  { name: 'to', description: 'Last day, in UTC.', schema: DAY },
  { name: 'app_id', description: 'Only this application.', schema: { ...TEXT, minLength: 1, maxLength: 256 } },
];
const REPORTED: JsonSchema = {
  ...object({
    ...{ clients: COUNT, unclosed: COUNT, seen: COUNT, sealed: COUNT, aborted: COUNT, failed: COUNT },
    ...{ truncated: COUNT, skipped: COUNT, unsealed: COUNT, dropped: COUNT, dead: COUNT, open: COUNT, waiting: COUNT },
  }),
  type: ['object', 'null'],
  description: 'The counts of producers; null where none reported.',
};
const ANSWER: JsonSchema = object({
  ok: OK,
  from: DAY,
  to: DAY,
  isCounted: { type: 'boolean', description: 'Whether every certificate is counted that existed at the request.' },
  days: list(
    object({
      day: DAY,
      appId: TEXT_OR_NULL,
      certified: COUNT,
      reports: COUNT,
      refused: COUNT,
      refusals: { type: 'object', additionalProperties: COUNT, description: 'Refusals by code.' },
      reported: REPORTED,
    }),
  ),
});

/** How many executions have a certificate, and how many do not. @see docs/spec.md, "GET /v1/coverage" */
export function coverageRoutes(deps: CoverageRouteDeps): DescribedRoute[] {
  const { gate } = deps;
  return [
    {
      method: 'GET',
      path: '/v1/coverage',
      description: {
        group: 'Records',
        summary: "The tenant's certificates and refusals per day and application",
        access: { scopes: ['audit', 'certify'] },
        query: QUERY,
        success: { 200: { schema: ANSWER, description: 'The counts.' } },
      },
      admit: gate.admit('audit', 'certify'),
      handler: (request) => coverage(deps, request),
    },
  ];
}

async function coverage(deps: CoverageRouteDeps, head: RequestHead): Promise<ServiceResponse> {
  const { tenantId } = deps.gate.callerOf(head);
  const { to: last, ...query } = readQuery(head.query, deps.now());
  const { isCounted, days } = await readCoverage(deps, { tenantId, ...query, to: dayAfter(last), limit: MAX_COUNTS });
  const body = { ok: true, from: query.from, to: last, isCounted, days: days.map((day) => ({ ...day })) };
  return ok(body, { 'cache-control': 'no-store' });
}

/** `to` is the last day. */
function readQuery(query: URLSearchParams, now: Date): Omit<CoverageQuery, 'tenantId'> {
  const reader = new QueryReader(query, ['from', 'to'], ['app_id']);
  const dayOf = (name: 'from' | 'to'): string | undefined => {
    const value = reader.single(name);
    if (value === undefined || isDay(value)) return value;
    reader.faults.push(`${name}: must be a day such as 2026-01-31`);
    return undefined;
  };
  const [from, to] = [dayOf('from'), dayOf('to')];
  const appId = reader.filter('app_id', `must have 1 to ${MAX_LABEL_LENGTH} characters`, (text) => {
    return text !== '' && text.length <= MAX_LABEL_LENGTH;
  });
  const last = to ?? dayOfTime(now.getTime());
  const first = from ?? dayOfTime(Date.parse(last) - (DEFAULT_DAYS - 1) * DAY_MS);
  const days = (Date.parse(last) - Date.parse(first)) / DAY_MS + 1;
  if (days < 1) reader.faults.push('to: must not be before from');
  if (days > MAX_DAYS) reader.faults.push(`from: must be at most ${MAX_DAYS - 1} days before to`);
  reader.end();
  return { from: first, to: last, ...(appId !== undefined && { appId }) };
}

function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && Date.parse(text) >= 0 && dayOfTime(Date.parse(text)) === text;
}
