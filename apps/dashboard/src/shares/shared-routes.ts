import { evaluateCer } from '@cer/cer-core/verify';
import { pathParam, ServiceError, type RequestHead, type ServiceResponse } from '@cer/http-service';
import type { Logger } from '@cer/http-service/process';
import { isRandomToken, tokenHash } from '../account/random-token.js';
import type { DescribedRoute } from '../openapi/route-description.js';
import type { NodeRecords, RecordRow } from '../records/node-records.js';
import { certificateFile, fitting, hashOf } from '../records/own-records.js';
import { nodeQueries, readQuestion } from '../records/record-filter.js';
import type { Share, Store } from '../store/index.js';
import type { PageAnswer } from '../web/page-answer.js';
import type { PageWords } from '../web/page-description.js';
import type { Pages } from '../web/pages.js';
import { createOpenLimits } from './open-limits.js';
import { endOf } from './share.js';
import {
  busySharePage,
  endedSharePage,
  refusedSharePage,
  sharedCertificatePage,
  sharedSetPage,
  unknownSharePage,
  type OpenShare,
} from './shared-pages.js';

const ROWS_A_PAGE = '50';

export interface SharedRoutesDeps {
  readonly pages: Pages;
  readonly store: Pick<Store, 'shares'>;
  readonly nodeRecords: NodeRecords;
  readonly now: () => Date;
  readonly logger: Logger;
}

type Answer = PageAnswer | { readonly file: ServiceResponse };

/** The pages that a shared link shows to its holder. */
export function sharedRoutes({ pages, store, nodeRecords, now, logger }: SharedRoutesDeps): readonly DescribedRoute[] {
  const mayOpen = createOpenLimits(now);
  const view = (
    path: string,
    words: PageWords,
    show: (open: OpenShare, head: RequestHead) => Promise<Answer>,
  ): DescribedRoute =>
    pages.readView(`/shared/:token${path}`, words, async (head) => {
      const token = pathParam(head, 'token');
      const found = isRandomToken(token) ? await store.shares.findByHash(tokenHash(token)) : null;
      if (found === null) return unknownSharePage();
      const end = endOf(found.share, found.tenant.status, now());
      if (end !== null) return endedSharePage(found.share, end);
      if (!mayOpen(found.share.shareId)) return busySharePage();
      try {
        return await show({ ...found, path: `/shared/${token}` }, head);
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        if (error.code === 'NOT_FOUND' || error.code === 'VALIDATION_ERROR')
          return refusedSharePage(404, error.message);
        logger.warn({ err: error, requestId: head.requestId }, 'no shared records');
        return refusedSharePage(
          503,
          'The certificates cannot be read now. Try again in a moment.',
          error.refusal.headers,
        );
      }
    });
  const certificatePage = async (open: OpenShare, row: RecordRow): Promise<PageAnswer> => {
    const [certificate, keySet] = await Promise.all([
      nodeRecords.certificate(open.share.tenantId, row.certificateHash),
      nodeRecords.keySet(),
    ]);
    const evaluation = await evaluateCer(certificate, { keySet, verifiedAt: now().toISOString() });
    return sharedCertificatePage(open, { row, certificate, evaluation });
  };
  const listed = async ({ share }: OpenShare, cursor: string | null) => {
    const query = await queryOf(nodeRecords, share);
    query.set('limit', ROWS_A_PAGE);
    if (cursor !== null) query.set('cursor', cursor);
    return nodeRecords.list(share.tenantId, query);
  };
  return [
    view('', { summary: 'What a shared link shows', query: ['cursor'], statuses: [410, 429] }, async (open, head) => {
      const cursor = head.query.get('cursor');
      const shown =
        open.share.kind === 'certificate'
          ? await certificatePage(open, await sharedRecord(nodeRecords, open.share, open.share.target))
          : sharedSetPage(open, await listed(open, cursor), cursor !== null);
      if (cursor === null) await store.shares.countOpen(open.share.shareId);
      return shown;
    }),
    view(
      '/certificate/:hash',
      { summary: 'A shared certificate, verified', statuses: [410, 429] },
      async (open, head) => certificatePage(open, await sharedRecord(nodeRecords, open.share, hashOf(head))),
    ),
    view(
      '/download/:hash',
      { summary: 'A shared certificate as a file', file: 'application/json', statuses: [410, 429] },
      async (open, head) => {
        const { certificateHash } = await sharedRecord(nodeRecords, open.share, hashOf(head));
        return { file: await certificateFile(nodeRecords, open.share.tenantId, certificateHash) };
      },
    ),
  ];
}

/**
 * The query to the node for the records that a link shows. Hidden records are never shown, nor what else a searched hash
 * may find.
 */
async function queryOf(nodeRecords: NodeRecords, { tenantId, kind, target }: Share): Promise<URLSearchParams> {
  const query =
    kind === 'certificate'
      ? new URLSearchParams({ certificate_hash: target })
      : await fitting(nodeRecords, tenantId, nodeQueries(readQuestion(new URLSearchParams(target))));
  query.set('status', 'visible');
  return query;
}

/**
 * A record that the link shows.
 * @throws ServiceError NOT_FOUND for any other record, of any account
 */
async function sharedRecord(nodeRecords: NodeRecords, share: Share, hash: string): Promise<RecordRow> {
  const query = await queryOf(nodeRecords, share);
  // It may be the hash of the record's reseal.
  const only = query.get('certificate_hash');
  query.set('certificate_hash', only ?? hash);
  query.set('order', 'oldest');
  query.set('limit', '2');
  const { records } = await nodeRecords.list(share.tenantId, query);
  const shown = records.filter(({ certificateHash }) => only === null || only === hash || certificateHash === hash);
  const row = shown.find(({ kind }) => kind === 'full') ?? shown[0];
  if (row === undefined) throw new ServiceError({ code: 'NOT_FOUND', message: 'This link shows no such certificate.' });
  return row;
}
