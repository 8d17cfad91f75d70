/** Reviews of certificates and projects by people, each a separate certificate. */
export {
  REVIEW_DECISIONS,
  isReviewRequest,
  reviewOf,
  reviewRequest,
  type NewReview,
  type Review,
  type ReviewDecision,
  type ReviewSubject,
} from './review/review.js';
