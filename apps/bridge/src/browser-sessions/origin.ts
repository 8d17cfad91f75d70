import { ServiceError, type RequestHead } from '@cer/http-service';
import { isSameOrigin } from '@cer/pages';

/**
 * Refuses a request that changes something and does not come from a page of this site, in addition to `SameSite`.
 * @param origin scheme, host and port of this bridge
 * @throws ServiceError FORBIDDEN
 */
export function refuseForgery(head: Pick<RequestHead, 'headers'>, origin: string): void {
  if (!isSameOrigin(head, origin)) {
    throw new ServiceError({ code: 'FORBIDDEN', message: 'The request did not come from a page of this site' });
  }
}
