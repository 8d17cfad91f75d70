import type { JsonValue } from '@cer/canonical-json';
import { isReviewRequest } from '@cer/cer-core/review';
import { ServiceError } from '@cer/http-service';
import type { Caller } from '../auth/key-directory.js';

/**
 * A key without the scope `certify` certifies human reviews, and nothing else.
 * @throws ServiceError FORBIDDEN
 * @see docs/spec.md, "Human reviews"
 */
export function assertInScope({ scopes }: Pick<Caller, 'scopes'>, request: JsonValue): void {
  if (!scopes.has('certify') && !isReviewRequest(request)) throw reviewsOnly();
}

/** @throws ServiceError FORBIDDEN for a body whose content is not read here, of such a key */
export function assertInScopeUnread({ scopes }: Pick<Caller, 'scopes'>): void {
  if (!scopes.has('certify')) throw reviewsOnly();
}

function reviewsOnly(): ServiceError {
  return new ServiceError({
    code: 'FORBIDDEN',
    message: 'the key lacks the scope certify: with the scope review it certifies human reviews of up to 256 KiB only',
  });
}
