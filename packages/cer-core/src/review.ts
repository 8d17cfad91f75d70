/** Reviews of certificates and projects by people, as certificates of their own. */
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
