import type { JsonObject } from '@cer/canonical-json';
import { formatCursor, parseCursor } from '@cer/cer-core/logs';
import { ok, validationError, type RequestHead } from '@cer/http-service';
import type { Gate } from '../../auth/authenticate.js';
import { verificationUrl } from '../certify-response.js';
import type { ListedRecord, RecordList, RecordPlace } from '../../store/index.js';
import { assertDescribed } from './described.js';
import { QueryReader, readRecordQuery } from './record-query.js';
import type { DescribedRoute } from '../../openapi/route-description.js';
import { ownCertificateRoute, type OwnCertificateDeps } from './own-certificate-route.js';
import { COUNT_ANSWER, LIST_ORDER, RECORD_FILTERS, RECORDS_ANSWER } from './list-shapes.js';

export interface RecordListDeps extends OwnCertificateDeps {
  readonly recordList: RecordList;
  readonly verifyUrl: string;
  readonly gate: Pick<Gate, 'admit' | 'callerOf'>;
}

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1000;
/** Counting more records takes longer than a page may. */
const MAX_COUNT = 100_000;
const number = /^[1-9]\d{0,3}$/;

/** A tenant's own records, page by page. @see docs/spec.md, "GET /v1/records" */
export function recordListRoutes(deps: RecordListDeps): DescribedRoute[] {
  const { gate } = deps;
  return [
    ownCertificateRoute(deps),
    {
      method: 'GET',
      path: '/v1/records',
      description: {
        group: 'Records',
        summary: "The tenant's own records, page by page",
        access: { scopes: ['audit', 'certify'] },
        query: [...RECORD_FILTERS, ...LIST_ORDER],
        success: { 200: { schema: RECORDS_ANSWER, description: 'A page of records without their content.' } },
      },
      admit: gate.admit('audit', 'certify'),
      handler: async (request) => ok(await page(deps, request), { 'cache-control': 'no-store' }),
    },
    {
      method: 'GET',
      path: '/v1/records/count',
      description: {
        group: 'Records',
        summary: "How many of the tenant's own records there are",
        access: { scopes: ['audit', 'certify'] },
        query: RECORD_FILTERS,
        success: { 200: { schema: COUNT_ANSWER, description: 'The number, or the one at which counting ended.' } },
      },
      admit: gate.admit('audit', 'certify'),
      handler: async (request) => ok(await count(deps, request), { 'cache-control': 'no-store' }),
    },
  ];
}

async function count({ recordList, gate }: RecordListDeps, head: RequestHead): Promise<JsonObject> {
  const { tenantId } = gate.callerOf(head);
  const reader = new QueryReader(head.query, []);
  const query = readRecordQuery(reader);
  reader.end();
  await assertDescribed(recordList, query);
  const found = await recordList.count({ tenantId, ...query }, MAX_COUNT);
  return { ok: true, count: Math.min(found, MAX_COUNT), isExact: found < MAX_COUNT };
}

async function page({ recordList, verifyUrl, gate }: RecordListDeps, head: RequestHead): Promise<JsonObject> {
  const { tenantId } = gate.callerOf(head);
  const reader = new QueryReader(head.query, ['order', 'limit', 'cursor']);
  const query = readRecordQuery(reader);
  const order = orderOf(reader);
  const limit = limitOf(reader);
  const cursor = reader.single('cursor');
  reader.end();
  await assertDescribed(recordList, query);
  const after = cursor === undefined ? null : await placeOf(recordList, tenantId, cursor);
  // Reads one more than a page, to detect whether there is a next page.
  const found = await recordList.page({ tenantId, ...query }, order, after, limit + 1);
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  return {
    ok: true,
    records: shown.map((record) => listed(record, verifyUrl)),
    nextCursor: last === undefined || found.length <= limit ? null : formatCursor(last),
  };
}

function orderOf(reader: QueryReader): 'oldest' | 'newest' {
  const order = reader.single('order') ?? 'newest';
  if (order === 'oldest' || order === 'newest') return order;
  reader.faults.push('order: must be oldest or newest');
  return 'newest';
}

function limitOf(reader: QueryReader): number {
  const text = reader.single('limit') ?? String(DEFAULT_LIMIT);
  if (number.test(text) && Number(text) <= MAX_LIMIT) return Number(text);
  reader.faults.push(`limit: must be a whole number from 1 to ${MAX_LIMIT}`);
  return DEFAULT_LIMIT;
}

async function placeOf(recordList: RecordList, tenantId: string, cursor: string): Promise<RecordPlace> {
  const named = parseCursor(cursor);
  const place = named === null ? null : await recordList.place(tenantId, named.certificateHash, named.kind);
  if (place === null) throw validationError(['cursor: must be one that a page of this list gave']);
  return place;
}

function listed({ visibility, ...record }: ListedRecord, verifyUrl: string): JsonObject {
  return {
    ...record,
    status: visibility,
    cursor: formatCursor(record),
    verificationUrl: verificationUrl(verifyUrl, record.certificateHash),
  };
}
