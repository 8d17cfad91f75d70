import { isSha256Hash } from '@cer/cer-core';
import { evaluateCer } from '@cer/cer-core/verify';
import { pathParam, ServiceError, type RequestHead, type Route, type ServiceResponse } from '@cer/http-service';
import type { Logger } from '@cer/http-service/process';
import type { Store } from '../store/index.js';
import type { Pages } from '../web/pages.js';
import { bodyOf, type NodeRecords, type RecordRow, type RecordsPage } from './node-records.js';
import { nodePage } from './node-page.js';
import { nodeQueries, pageQuery, readQuestion } from './record-filter.js';
import { recordListPage } from './record-list-page.js';
import { recordPage } from './record-page.js';

const ROWS_A_PAGE = '50';

export interface RecordRoutesDeps {
  readonly pages: Pages;
  readonly store: Pick<Store, 'note'>;
  readonly nodeRecords: NodeRecords;
  readonly now: () => Date;
  readonly logger: Logger;
}

const ALL_RECORDS = { path: '/records', label: 'All records' };

/** The certificates of the account, as the node has them. */
export function recordRoutes({ pages, store, nodeRecords, now, logger }: RecordRoutesDeps): readonly Route[] {
  const view = (path: string, title: string, show: Parameters<Pages['view']>[1]): Route =>
    nodePage({ pages, logger }, { path, title, back: ALL_RECORDS }, show);
  return [
    view('/records', 'Records', async ({ session, head }) => {
      const question = readQuestion(head.query);
      const cursor = head.query.get('cursor');
      const { records, nextCursor } = await firstFound(nodeQueries(question), (query) => {
        query.set('limit', ROWS_A_PAGE);
        if (cursor !== null) query.set('cursor', cursor);
        return nodeRecords.list(session.tenant.tenantId, query);
      });
      return recordListPage({ question, rows: records, nextCursor, isContinued: cursor !== null });
    }),
    view('/records/certificate/:hash', 'Certificate', async ({ session, head }) => {
      const { tenantId } = session.tenant;
      const row = await ownRecord(nodeRecords, tenantId, hashOf(head));
      const [{ value }, keySet] = await Promise.all([
        nodeRecords.certificate(tenantId, row.certificateHash),
        nodeRecords.keySet(),
      ]);
      return recordPage(row, await evaluateCer(value, { keySet, verifiedAt: now().toISOString() }));
    }),
    view('/records/download/:hash', 'Certificate', async ({ session, head }) => {
      const hash = hashOf(head);
      const { text } = await nodeRecords.certificate(session.tenant.tenantId, hash);
      const name = `certificate-${hash.slice('sha256:'.length, 23)}.json`;
      return { file: file('application/json', name, `${text}\n`) };
    }),
    view('/records/export', 'Records', async ({ session, head }) => {
      const { tenant, user } = session;
      const question = readQuestion(head.query);
      const query = await fitting(nodeRecords, tenant.tenantId, nodeQueries(question));
      const response = await nodeRecords.exported(tenant.tenantId, query, head.signal);
      const asked = pageQuery(question).toString();
      await store.note(tenant.tenantId, 'records exported', asked === '' ? 'all' : asked, user.email);
      const name = `audit-package-${now().toISOString().slice(0, 10)}.zip`;
      return { file: file('application/zip', name, bodyOf(response)) };
    }),
  ];
}

/** The first query that finds something, else the last: a hash may be of a certificate or of a project. */
async function firstFound(
  queries: readonly URLSearchParams[],
  list: (query: URLSearchParams) => Promise<RecordsPage>,
): Promise<RecordsPage> {
  let page: RecordsPage = { records: [], nextCursor: null };
  for (const query of queries) {
    page = await list(query);
    if (page.records.length > 0) break;
  }
  return page;
}

async function fitting(
  nodeRecords: NodeRecords,
  tenantId: string,
  queries: readonly URLSearchParams[],
): Promise<URLSearchParams> {
  const [first = new URLSearchParams(), ...others] = queries;
  for (const query of others.length === 0 ? [] : queries) {
    const { records } = await nodeRecords.list(tenantId, new URLSearchParams([...query, ['limit', '1']]));
    if (records.length > 0) return query;
  }
  return first;
}

async function ownRecord(nodeRecords: NodeRecords, tenantId: string, hash: string): Promise<RecordRow> {
  const query = new URLSearchParams({ certificate_hash: hash, order: 'oldest', limit: '2' });
  const { records } = await nodeRecords.list(tenantId, query);
  const row = records.find(({ kind }) => kind === 'full') ?? records[0];
  if (row === undefined) throw unknownCertificate();
  return row;
}

function hashOf(head: RequestHead): string {
  const hash = pathParam(head, 'hash');
  if (!isSha256Hash(hash)) throw unknownCertificate();
  return hash;
}

function unknownCertificate(): ServiceError {
  return new ServiceError({ code: 'NOT_FOUND', message: 'This account has no such certificate.' });
}

function file(type: string, name: string, body: ServiceResponse['body']): ServiceResponse {
  return {
    status: 200,
    headers: {
      'content-type': type,
      'content-disposition': `attachment; filename="${name}"`,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    },
    body,
  };
}
