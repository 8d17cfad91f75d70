import { isSha256Hash } from '@cer/cer-core';
import { pathParam, ServiceError } from '@cer/http-service';
import type { DescribedRoute } from '../openapi/route-description.js';
import { pageQuery, QUESTION, readQuestion, readWholeQuestion, type RecordQuestion } from '../records/record-filter.js';
import type { ShareTarget, Store } from '../store/index.js';
import { AFTER, listPage } from '../web/list-page.js';
import { noticeText } from '../web/notices.js';
import { mayChange, type Pages } from '../web/pages.js';
import { makeOnce, newIdOf } from '../web/sent-once.js';
import { issueShare, LIFETIMES } from './share.js';
import { madeSharePage, newSharePage, SHARE_ID, sharesPage } from './share-pages.js';

export interface ShareRoutesDeps {
  readonly pages: Pages;
  readonly store: Pick<Store, 'shares'>;
  readonly publicUrl: string;
  readonly now: () => Date;
}

/** Links that an account shares: made, listed, revoked. */
export function shareRoutes({ pages, store, publicUrl, now }: ShareRoutesDeps): readonly DescribedRoute[] {
  return [
    pages.view('/shares', { summary: 'Shared links', query: [AFTER] }, async ({ session, formToken, head }) =>
      sharesPage({
        formToken,
        shares: await listPage(
          head,
          (after, limit) => store.shares.list(session.tenant.tenantId, after, limit),
          ({ shareId }) => shareId,
        ),
        mayChange: mayChange(session),
        now: now(),
        notice: noticeText(head.query),
      }),
    ),
    pages.view(
      '/shares/new',
      { summary: 'The form that makes a shared link', query: ['certificate', ...QUESTION] },
      async ({ session, formToken, head }) => {
        const certificate = head.query.get('certificate');
        const target =
          certificate === null ? setOf(readWholeQuestion(head.query)) : targetOf('certificate', certificate);
        return newSharePage(formToken, target, mayChange(session));
      },
    ),
    pages.act(
      '/shares',
      'owner',
      { summary: 'Make a shared link', fields: ['kind', 'target', 'days', SHARE_ID] },
      async ({ session }, fields) => {
        const target = targetOf(fields.get('kind') ?? '', fields.get('target') ?? '');
        const lifetime = LIFETIMES.find(({ days }) => String(days) === fields.get('days'));
        if (lifetime === undefined) throw invalid('Choose when the link ends.');
        const { tenantId } = session.tenant;
        const shareId = newIdOf(fields, SHARE_ID);
        const { url, ...share } = issueShare(publicUrl, tenantId, target, lifetime.days, now());
        await makeOnce(
          () => store.shares.create({ ...share, shareId }, session.user.email),
          'made one link, which was shown then. If you have not copied it, revoke it on the page "Shared links" and make another.',
          async () => shareId !== undefined && (await store.shares.has(tenantId, shareId)),
        );
        return madeSharePage(url, share.expiresAt);
      },
    ),
    pages.act('/shares/:shareId/revoke', 'owner', 'Revoke a shared link', async ({ session, head }) => {
      const { tenant, user } = session;
      if (!(await store.shares.revoke(tenant.tenantId, pathParam(head, 'shareId'), user.email))) {
        throw new ServiceError({ code: 'NOT_FOUND', message: 'There is no such working link in this account.' });
      }
      return { goTo: '/shares?done=share-revoked' };
    }),
  ];
}

function setOf(question: RecordQuestion): ShareTarget {
  if (question.filters.get('status') === 'hidden') throw invalid('Hidden certificates are not shared by a link.');
  return { kind: 'set', target: pageQuery(question).toString() };
}

function targetOf(kind: string, target: string): ShareTarget {
  if (kind === 'set') return setOf(readQuestion(new URLSearchParams(target)));
  if (kind !== 'certificate' || !isSha256Hash(target)) throw invalid('Choose what to share from the records.');
  return { kind, target };
}

function invalid(message: string): ServiceError {
  return new ServiceError({ code: 'VALIDATION_ERROR', message });
}
