import { evaluateCer } from '@cer/cer-core/verify';
import { pathParam } from '@cer/http-service';
import type { Logger } from '@cer/http-service/process';
import type { Html } from '@cer/pages';
import type { DescribedRoute } from '../openapi/route-description.js';
import type { Store } from '../store/index.js';
import type { PageWords } from '../web/page-description.js';
import { mayChange, mayReview, type Pages } from '../web/pages.js';
import type { LiveSession } from '../web/sessions.js';
import { exportPage } from './export-pages.js';
import { createExports } from './exports.js';
import type { NodeRecords } from './node-records.js';
import { logSection, logStateOf } from './log-state.js';
import { nodePage } from './node-page.js';
import { certificateFile, file, firstFound, fitting, hashOf, ownRecord } from './own-records.js';
import { filterFaults, nodeQueries, pageQuery, QUESTION, readWholeQuestion, typedQuestion } from './record-filter.js';
import { faultyRecordsPage, recordListPage } from './record-list-page.js';
import { recordPage } from './record-page.js';
import { reviewsOf, reviewsSection } from './record-reviews.js';

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
export function recordRoutes({ pages, store, nodeRecords, now, logger }: RecordRoutesDeps): readonly DescribedRoute[] {
  const view = (path: string, title: string, words: PageWords, show: Parameters<Pages['view']>[2]): DescribedRoute =>
    nodePage({ pages, logger }, { path, title, words, back: ALL_RECORDS }, show);
  const exports = createExports(now);
  /** Of a project that a search found, above the export of its steps. */
  const projectReviews = async (session: LiveSession, hash: string): Promise<Html> => {
    const how = { keySet: await nodeRecords.keySet(), now: now() };
    const found = await reviewsOf(nodeRecords, session.tenant.tenantId, hash, how);
    return reviewsSection({ subject: 'project', hash }, found, mayReview(session));
  };
  return [
    view('/records', 'Records', { summary: 'Records', query: [...QUESTION, 'cursor'] }, async ({ session, head }) => {
      const question = typedQuestion(head.query);
      const faults = filterFaults(question);
      if (faults.length > 0) return faultyRecordsPage(question, faults);
      const cursor = head.query.get('cursor');
      const { tenantId } = session.tenant;
      const asked: { project: string | null; query: URLSearchParams } = { project: null, query: new URLSearchParams() };
      const { records, nextCursor } = await firstFound(nodeQueries(question), (query) => {
        asked.project = query.get('project_hash');
        asked.query = new URLSearchParams(query);
        query.set('limit', ROWS_A_PAGE);
        if (cursor !== null) query.set('cursor', cursor);
        return nodeRecords.list(tenantId, query);
      });
      const { project } = asked;
      const more = project === null || records.length === 0 ? [] : [await projectReviews(session, project)];
      const isContinued = cursor !== null;
      const isWhole = nextCursor === null && !isContinued;
      const count = isWhole ? { count: records.length, isExact: true } : await nodeRecords.count(tenantId, asked.query);
      const mayShare = mayChange(session);
      return recordListPage({ question, rows: records, nextCursor, isContinued, count, more, mayShare });
    }),
    view('/records/certificate/:hash', 'Certificate', 'A certificate, verified', async ({ session, head }) => {
      const { tenantId } = session.tenant;
      const row = await ownRecord(nodeRecords, tenantId, hashOf(head));
      const { certificateHash } = row;
      const [certificate, keySet] = await Promise.all([
        nodeRecords.certificate(tenantId, certificateHash),
        nodeRecords.keySet(),
      ]);
      const [evaluation, log, reviews] = await Promise.all([
        evaluateCer(certificate, { keySet, verifiedAt: now().toISOString() }),
        logStateOf(nodeRecords, tenantId, certificateHash, certificate),
        reviewsOf(nodeRecords, tenantId, certificateHash, { keySet, now: now() }),
      ]);
      const more = [
        logSection(log),
        reviewsSection({ subject: 'certificate', hash: certificateHash }, reviews, mayReview(session)),
      ];
      return recordPage({ checked: { row, certificate, evaluation }, more, mayShare: mayChange(session) });
    }),
    view(
      '/records/download/:hash',
      'Certificate',
      { summary: 'A certificate as a file', file: 'application/json' },
      async ({ session, head }) => {
        return { file: await certificateFile(nodeRecords, session.tenant.tenantId, hashOf(head)) };
      },
    ),
    view(
      '/records/exports',
      'Export',
      { summary: 'The form that exports the filtered records', query: QUESTION },
      async ({ session, head }) => {
        const { tenantId } = session.tenant;
        const question = readWholeQuestion(head.query);
        const count = await nodeRecords.count(tenantId, await fitting(nodeRecords, tenantId, nodeQueries(question)));
        const query = pageQuery(question).toString();
        const id = exports.announce(tenantId, count);
        return exportPage({ id, query, known: exports.find(tenantId, id), isStill: true });
      },
    ),
    pages.view(
      '/records/exports/:id',
      { summary: 'The progress of an export', query: [...QUESTION, 'still'] },
      async ({ session, head }) => {
        const id = pathParam(head, 'id');
        const known = exports.find(session.tenant.tenantId, id);
        const query = pageQuery(readWholeQuestion(head.query, ['still'])).toString();
        return exportPage({ id, query, known, isStill: head.query.has('still') });
      },
    ),
    view(
      '/records/export',
      'Records',
      { summary: 'The records as an audit package', query: [...QUESTION, 'follow'], file: 'application/zip' },
      async ({ session, head }) => {
        const { tenant, user } = session;
        const question = readWholeQuestion(head.query, ['follow']);
        const query = await fitting(nodeRecords, tenant.tenantId, nodeQueries(question));
        const response = await nodeRecords.exported(tenant.tenantId, query, head.signal);
        const name = `audit-package-${now().toISOString().slice(0, 10)}.zip`;
        const body = exports.follow(tenant.tenantId, head.query.get('follow') ?? '', response, async () => {
          const asked = pageQuery(question).toString();
          await store.note(tenant.tenantId, 'records exported', asked === '' ? 'all' : asked, user.email);
        });
        return { file: file('application/zip', name, body) };
      },
    ),
  ];
}
