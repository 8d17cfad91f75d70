import { isJsonArray, isJsonObject, isSameJson, member, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { isSha256Hash, type Sha256Hash } from '../hash.js';
import { REVIEW_PROTOCOL_VERSION } from '../protocols/protocols.js';

const PROVIDER = 'human';
const MODEL = 'human-review.v1';
const SIGNAL = 'review';
const MAX_LABEL_LENGTH = 256;

export const REVIEW_DECISIONS = ['approved', 'rejected', 'commented'] as const;
export type ReviewDecision = (typeof REVIEW_DECISIONS)[number];

const SUBJECTS = ['certificate', 'project'] as const;
export type ReviewSubject = (typeof SUBJECTS)[number];

/** The public part of a review. */
export interface Review {
  readonly subject: ReviewSubject;
  /** The `certificateHash` or project hash that was reviewed. */
  readonly reviewed: Sha256Hash;
  readonly decision: ReviewDecision;
}

/** A review with the part that is sealed. */
export interface NewReview extends Review {
  readonly executionId: string;
  readonly reviewer: string;
  /** Empty for none. */
  readonly comment: string;
  /** Hash of a file that the reviewer looked at; null for none. */
  readonly seen: Sha256Hash | null;
  /** The application of the reviewed record, so that its package has the review too; null: none. */
  readonly appId: string | null;
  /** ISO-8601; null: the node's time. */
  readonly at: string | null;
}

/**
 * The certify request of a review. Reviewer, comment and the seen file become commitments.
 * @see docs/spec.md, "Human reviews"
 */
export function reviewRequest(review: NewReview): JsonObject {
  const { subject, reviewed, decision, executionId, reviewer, comment, seen, appId, at } = review;
  return {
    protocolVersion: REVIEW_PROTOCOL_VERSION,
    executionId,
    provider: PROVIDER,
    model: MODEL,
    prompt: `Review of ${subject} ${reviewed}`,
    parameters: { temperature: 0, maxTokens: 0, topP: null, seed: null },
    input: { reviewed, reviewer, seen },
    output: { decision, comment },
    context: { signals: [{ type: SIGNAL, source: MODEL, payload: { subject, reviewed, decision } }] },
    ...(appId !== null && { appId }),
    ...(at !== null && { createdAt: at, timestamp: at }),
  };
}

/** Whether a certify request is that of a review, with nothing beside it. @see docs/spec.md, "Human reviews" */
export function isReviewRequest(value: JsonValue): boolean {
  const review = isJsonObject(value) ? requestedReview(value) : null;
  return review !== null && isSameJson(reviewRequest(review), value);
}

function requestedReview(request: JsonObject): NewReview | null {
  const review = reviewOf({ ...request, snapshot: request });
  const [input, output] = [objectIn(request, 'input') ?? {}, objectIn(request, 'output') ?? {}];
  const [executionId, reviewer, comment, seen, appId = null, at = null] = [
    member(request, 'executionId'),
    member(input, 'reviewer'),
    member(output, 'comment'),
    member(input, 'seen'),
    member(request, 'appId'),
    member(request, 'createdAt'),
  ];
  const isWhole =
    isLabel(executionId) && isLabel(reviewer) && typeof comment === 'string' && (at === null || typeof at === 'string');
  if (appId !== null && !isLabel(appId)) return null;
  if (review === null || !isWhole || (seen !== null && !isSha256Hash(seen))) return null;
  return { ...review, executionId, reviewer, comment, seen, appId, at };
}

function isLabel(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && value.trim() !== '' && value.length <= MAX_LABEL_LENGTH;
}

/**
 * Reads the public part of a review. Only an evaluation says whether the certificate is intact and signed.
 * @returns null for any other certificate
 * @see docs/spec.md, "Human reviews"
 */
export function reviewOf(bundle: JsonObject): Review | null {
  const snapshot = objectIn(bundle, 'snapshot');
  if (snapshot === null || member(snapshot, 'provider') !== PROVIDER || member(snapshot, 'model') !== MODEL)
    return null;
  const context = objectIn(bundle, 'context');
  const signals = context === null ? undefined : member(context, 'signals');
  if (!isJsonArray(signals) || signals.length !== 1) return null;
  const signal = signals[0];
  if (!isJsonObject(signal) || member(signal, 'type') !== SIGNAL || member(signal, 'source') !== MODEL) return null;
  const payload = objectIn(signal, 'payload');
  const reviewed = payload === null ? undefined : member(payload, 'reviewed');
  const subject = SUBJECTS.find((name) => payload !== null && member(payload, 'subject') === name);
  const decision = REVIEW_DECISIONS.find((name) => payload !== null && member(payload, 'decision') === name);
  if (!isSha256Hash(reviewed) || subject === undefined || decision === undefined) return null;
  return { subject, reviewed, decision };
}

function objectIn(object: JsonObject, name: string): JsonObject | null {
  const value = member(object, name);
  return isJsonObject(value) ? value : null;
}
