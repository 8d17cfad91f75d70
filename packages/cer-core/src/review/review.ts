import { isJsonObject, member, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { isSha256Hash, type Sha256Hash } from '../hash.js';
import { REVIEW_PROTOCOL_VERSION } from '../protocols/protocols.js';

const PROVIDER = 'human';
const MODEL = 'human-review.v1';
const SIGNAL = 'review';

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
  /** ISO-8601. */
  readonly at: string;
}

/**
 * The certify request of a review. Reviewer, comment and what was seen become commitments.
 * @see docs/spec.md, "Human reviews"
 */
export function reviewRequest(review: NewReview): JsonObject {
  const { subject, reviewed, decision, executionId, reviewer, comment, seen, at } = review;
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
    createdAt: at,
    timestamp: at,
  };
}

/**
 * Reads the public part of a review. Only an evaluation says whether the certificate is intact and signed.
 * @returns null for a certificate of something else
 * @see docs/spec.md, "Human reviews"
 */
export function reviewOf(bundle: JsonObject): Review | null {
  const snapshot = objectIn(bundle, 'snapshot');
  if (snapshot === null || member(snapshot, 'provider') !== PROVIDER || member(snapshot, 'model') !== MODEL)
    return null;
  const context = objectIn(bundle, 'context');
  const signals = context === null ? undefined : member(context, 'signals');
  if (!Array.isArray(signals) || signals.length !== 1) return null;
  const signal: JsonValue | undefined = (signals as readonly JsonValue[])[0];
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
