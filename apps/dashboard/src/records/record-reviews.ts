import { reviewOf, type Review, type ReviewDecision } from '@cer/cer-core/review';
import { evaluateCer } from '@cer/cer-core/verify';
import { ServiceError } from '@cer/http-service';
import type { NodeKeySet } from '@cer/keys';
import { html, type Html } from '@cer/pages';
import { moment } from '../web/moments.js';
import type { NodeRecords, RecordRow } from './node-records.js';

/** Reviews that a page shows; the list of records has all. */
const SHOWN = 10;

const DECISION_WORDS: Readonly<Record<ReviewDecision, string>> = {
  approved: 'Approved',
  rejected: 'Rejected',
  commented: 'Commented',
};

/** A review whose own certificate was checked. */
export interface CheckedReview {
  readonly row: RecordRow;
  readonly review: Review;
  readonly isVerified: boolean;
}

export type ReviewsOf =
  | { readonly reviews: readonly CheckedReview[]; readonly hasMore: boolean }
  /** Why they cannot be listed, as with a node of an older release. */
  | { readonly refused: string };

/** The newest reviews of a certificate or project by people of the account. */
export async function reviewsOf(
  nodeRecords: Pick<NodeRecords, 'list' | 'certificate'>,
  tenantId: string,
  reviewed: string,
  { keySet, now }: { readonly keySet: NodeKeySet; readonly now: Date },
): Promise<ReviewsOf> {
  try {
    const query = new URLSearchParams({ reviewed_hash: reviewed, limit: String(SHOWN) });
    const { records, nextCursor } = await nodeRecords.list(tenantId, query);
    const reviews = await Promise.all(
      records.map(async (row): Promise<CheckedReview | null> => {
        const value = await nodeRecords.certificate(tenantId, row.certificateHash);
        const review = reviewOf(value);
        const { status } = await evaluateCer(value, { keySet, verifiedAt: now.toISOString() });
        return review?.reviewed === reviewed ? { row, review, isVerified: status !== 'FAILED' } : null;
      }),
    );
    return { reviews: reviews.filter((review) => review !== null), hasMore: nextCursor !== null };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { refused: error.message };
  }
}

/** The subject of reviews. */
export interface Reviewed {
  readonly subject: Review['subject'];
  readonly hash: string;
}

/** @param mayReview whether the reader may certify one */
export function reviewsSection({ subject, hash }: Reviewed, found: ReviewsOf, mayReview: boolean): Html {
  return html`<section class="card" aria-labelledby="reviews">
    <h2 id="reviews">Reviews by people</h2>
    ${'refused' in found ? html`<p>${found.refused}</p>` : reviewList(hash, found)}
    ${mayReview && html`<p class="acts"><a class="button" href="/reviews/new?${subject}=${hash}">Review this ${subject}</a></p>`}
  </section>`;
}

function reviewList(reviewed: string, { reviews, hasMore }: Extract<ReviewsOf, { readonly hasMore: boolean }>): Html {
  if (reviews.length === 0) return html`<p>No user of this account has reviewed it.</p>`;
  return html`<ul class="layers">
      ${reviews.map(
        ({ row, review, isVerified }) =>
          html`<li>
            <div class="item-head">
              <h3>${DECISION_WORDS[review.decision]}</h3>
              <span class="state ${isVerified ? 'good' : 'bad'}"
                >${isVerified ? 'Verified' : 'Verification failed'}</span
              >
            </div>
            <p>
              ${moment(row.firstAttestedAt)} ·
              <a href="/records/certificate/${row.certificateHash}"
                >Certificate of the review of ${row.firstAttestedAt}</a
              >
            </p>
          </li>`,
      )}
    </ul>
    <p class="muted">
      Reviewer and comment are sealed: who reviewed has the values. The <a href="/activity">activity</a> names who it
      was. ${hasMore && html`<a href="/records?reviewed_hash=${reviewed}">All reviews</a>`}
    </p>`;
}
