import { randomUUID } from 'node:crypto';
import { isSha256Hash, sha256, type Sha256Hash } from '@cer/cer-core';
import { reviewRequest } from '@cer/cer-core/review';
import { ServiceError } from '@cer/http-service';
import type { Logger } from '@cer/http-service/process';
import type { DescribedRoute } from '../openapi/route-description.js';
import type { NodeRecords, RecordRow } from '../records/node-records.js';
import { nodePage } from '../records/node-page.js';
import { ownRecord } from '../records/own-records.js';
import type { Store } from '../store/index.js';
import { FORM_LIMIT_BYTES, mayReview, type Pages } from '../web/pages.js';
import { knownForm } from '../web/sent-once.js';
import { MAX_COMMENT, readEntry, readForm, reviewerOf, type ReviewForm } from './review-form.js';
import { certifiedReviewPage, newReviewPage } from './review-pages.js';

/** Maximum size of a form, in bytes: a character of a comment is up to nine bytes there, as in `%E6%BC%A2`. */
const LIMIT_BYTES = FORM_LIMIT_BYTES + 9 * MAX_COMMENT;

export interface ReviewRoutesDeps {
  readonly pages: Pages;
  readonly store: Pick<Store, 'noteOnce'>;
  readonly nodeRecords: Pick<NodeRecords, 'list' | 'certificateText' | 'review'>;
  readonly now: () => Date;
  readonly logger: Logger;
}

/** Reviews by people of the account: a form, and what the node certified. @see docs/spec.md, "Human reviews" */
export function reviewRoutes({ pages, store, nodeRecords, now, logger }: ReviewRoutesDeps): readonly DescribedRoute[] {
  const back = { path: '/records', label: 'All records' };
  return [
    nodePage(
      { pages, logger },
      {
        path: '/reviews/new',
        title: 'Review',
        words: { summary: 'The form that certifies a review', query: ['certificate', 'project'] },
        back,
      },
      async ({ session, formToken, head }) => {
        if (!mayReview(session)) throw new ServiceError({ code: 'FORBIDDEN', message: 'You may not review here.' });
        const form = await newForm(nodeRecords, session.tenant.tenantId, head.query);
        return newReviewPage({ formToken, form, reviewer: reviewerOf(session.user) });
      },
    ),
    pages.act(
      '/reviews',
      'reviewer',
      {
        summary: 'Certify a review',
        fields: ['subject', 'reviewed', 'seen', 'execution_id', 'decision', 'comment'],
      },
      async ({ session, formToken }, fields) => {
        const { tenant, user } = session;
        const form = readForm(fields);
        const reviewer = reviewerOf(user);
        const given = { decision: fields.get('decision') ?? '', comment: fields.get('comment') ?? '' };
        const entry = readEntry(fields);
        if (!entry.ok) return newReviewPage({ formToken, form, reviewer, given, faults: entry.faults });
        try {
          const { appId } = await ownSubject(nodeRecords, tenant.tenantId, form);
          const request = reviewRequest({ ...form, ...entry.value, reviewer, appId, at: null });
          const { certificateHash, openings } = await nodeRecords.review(tenant.tenantId, request);
          const { executionId, input = null, output = null } = request;
          const subject = `${entry.value.decision}: ${form.subject} ${form.reviewed}`;
          // A replay is noted too: the answer to the first request may have been lost.
          const once = knownForm(`${tenant.tenantId} ${form.executionId}`, now());
          await store.noteOnce(once, tenant.tenantId, 'review certified', subject, user.email);
          return certifiedReviewPage(certificateHash, { executionId: executionId ?? null, input, output, openings });
        } catch (error) {
          const refusal: ServiceError | null = error instanceof ServiceError ? error : null;
          if (refusal?.code !== 'SERVICE_UNAVAILABLE') throw error;
          logger.warn({ err: error }, 'the node certified no review');
          return newReviewPage({ formToken, form, reviewer, given, refused: refusal.message });
        }
      },
      LIMIT_BYTES,
    ),
  ];
}

/** A form about the certificate or project that a query names. @throws ServiceError NOT_FOUND */
async function newForm(
  nodeRecords: ReviewRoutesDeps['nodeRecords'],
  tenantId: string,
  query: URLSearchParams,
): Promise<ReviewForm> {
  const project = query.get('project');
  const form = {
    subject: project === null ? 'certificate' : 'project',
    executionId: `review:${randomUUID()}`,
  } as const;
  const reviewed = project ?? query.get('certificate');
  if (!isSha256Hash(reviewed)) throw unknownSubject();
  await ownSubject(nodeRecords, tenantId, { ...form, reviewed });
  return { ...form, reviewed, seen: project === null ? await fileHash(nodeRecords, tenantId, reviewed) : null };
}

/** The hash of the file that the page of the certificate offers. */
async function fileHash(
  nodeRecords: ReviewRoutesDeps['nodeRecords'],
  tenantId: string,
  hash: string,
): Promise<Sha256Hash> {
  return sha256(`${await nodeRecords.certificateText(tenantId, hash)}\n`);
}

/**
 * The record of a certificate, or of a step of a project.
 * @throws ServiceError NOT_FOUND for what this account does not have
 */
async function ownSubject(
  nodeRecords: ReviewRoutesDeps['nodeRecords'],
  tenantId: string,
  { subject, reviewed }: Pick<ReviewForm, 'subject' | 'reviewed'>,
): Promise<RecordRow> {
  if (subject === 'certificate') return ownRecord(nodeRecords, tenantId, reviewed);
  const { records } = await nodeRecords.list(tenantId, new URLSearchParams({ project_hash: reviewed, limit: '1' }));
  const [step] = records;
  if (step === undefined) throw unknownSubject();
  return step;
}

function unknownSubject(): ServiceError {
  return new ServiceError({ code: 'NOT_FOUND', message: 'This account has no such certificate or project.' });
}
