import { createHmac } from 'node:crypto';
import { ServiceError, type RequestHead } from '@cer/http-service';
import { equalSecret } from '@cer/http-service/config';
import { isSameOrigin } from '@cer/pages';

/**
 * The token that a form carries: derived from the cookie's, so that it need not be stored and no page of another site
 * can know it.
 */
export function formTokenOf(cookieToken: string): string {
  return createHmac('sha256', cookieToken).update('dashboard form').digest('base64url');
}

/** @throws ServiceError FORBIDDEN for a request that a page of another site sent */
export function refuseOtherSite(head: Pick<RequestHead, 'headers'>, origin: string): void {
  if (isSameOrigin(head, origin)) return;
  throw new ServiceError({ code: 'FORBIDDEN', message: 'The request did not come from a page of this site.' });
}

/**
 * Checks that a request that changes data comes from a page of this site: three independent checks, besides `SameSite`.
 * @throws ServiceError FORBIDDEN
 */
export function refuseForgery(
  head: Pick<RequestHead, 'headers'>,
  origin: string,
  cookieToken: string | undefined,
  formToken: string | null,
): void {
  refuseOtherSite(head, origin);
  if (cookieToken === undefined || formToken === null || !equalSecret(formTokenOf(cookieToken), formToken)) {
    throw new ServiceError({
      code: 'FORBIDDEN',
      message: 'The form is out of date: go back, reload it and send it again.',
    });
  }
}
