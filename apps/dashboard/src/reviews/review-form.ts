import { isSha256Hash, type Sha256Hash } from '@cer/cer-core';
import { REVIEW_DECISIONS, type NewReview } from '@cer/cer-core/review';
import { ServiceError } from '@cer/http-service';
import * as z from 'zod';
import type { User } from '../store/index.js';
import { checkForm, type FormOutcome } from '../web/form.js';

/** Characters. */
export const MAX_COMMENT = 10_000;
/** A form sent twice certifies once, so its id is made with the form. */
const executionId = /^review:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** The longest name that a key of the scope `review` may state. */
const MAX_REVIEWER = 256;

/** The subject of a form, and the file that its sender saw. */
export interface ReviewForm {
  readonly subject: 'certificate' | 'project';
  readonly reviewed: Sha256Hash;
  readonly executionId: string;
  /** Hash of the certificate's file; null for a project. */
  readonly seen: Sha256Hash | null;
}

/** The decision of a person. */
export interface ReviewEntry {
  readonly decision: NewReview['decision'];
  readonly comment: string;
}

const Entry = z.object({
  decision: z.enum(REVIEW_DECISIONS, { error: 'needs one choice' }),
  comment: z.string().trim().max(MAX_COMMENT),
});

export function readEntry(fields: URLSearchParams): FormOutcome<ReviewEntry> {
  // A browser ends the lines of a text with CR LF.
  const comment = (fields.get('comment') ?? '').replaceAll('\r\n', '\n');
  const decision = fields.get('decision') ?? '';
  return checkForm(Entry, { decision, comment }, { decision: 'Decision', comment: 'Comment' });
}

/** The hidden fields of a form. @throws ServiceError VALIDATION_ERROR for others than this site makes */
export function readForm(fields: URLSearchParams): ReviewForm {
  const [subject, reviewed, id, seen] = ['subject', 'reviewed', 'execution_id', 'seen'].map((name) => fields.get(name));
  const isOwn = (subject === 'certificate' || subject === 'project') && isSha256Hash(reviewed);
  const isSeen = isSha256Hash(seen) || (subject === 'project' && seen === '');
  if (!isOwn || !isSeen || typeof id !== 'string' || !executionId.test(id)) {
    throw new ServiceError({ code: 'VALIDATION_ERROR', message: 'Open the form from the certificate again.' });
  }
  return { subject, reviewed, executionId: id, seen: isSha256Hash(seen) ? seen : null };
}

/** The signed-in person, as the review states it: name and address, or the address alone where it is the name too. */
export function reviewerOf({ name, email }: Pick<User, 'name' | 'email'>): string {
  const whole = `${name} <${email}>`;
  return name === email || whole.length > MAX_REVIEWER ? email : whole;
}
