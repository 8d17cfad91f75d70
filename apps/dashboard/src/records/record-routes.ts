import { evaluateCer } from '@cer/cer-core/verify';
import type { Route } from '@cer/http-service';
import type { Logger } from '@cer/http-service/process';
import type { Store } from '../store/index.js';
import { mayChange, type Pages } from '../web/pages.js';
import { bodyOf, type NodeRecords } from './node-records.js';
import { nodePage } from './node-page.js';
import { certificateFile, file, firstFound, fitting, hashOf, ownRecord } from './own-records.js';
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
      const mayShare = mayChange(session);
      return recordListPage({ question, rows: records, nextCursor, isContinued: cursor !== null, mayShare });
    }),
    view('/records/certificate/:hash', 'Certificate', async ({ session, head }) => {
      const { tenantId } = session.tenant;
      const row = await ownRecord(nodeRecords, tenantId, hashOf(head));
      const [{ value }, keySet] = await Promise.all([
        nodeRecords.certificate(tenantId, row.certificateHash),
        nodeRecords.keySet(),
      ]);
      return recordPage(row, await evaluateCer(value, { keySet, verifiedAt: now().toISOString() }), mayChange(session));
    }),
    view('/records/download/:hash', 'Certificate', async ({ session, head }) => {
      return { file: await certificateFile(nodeRecords, session.tenant.tenantId, hashOf(head)) };
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
