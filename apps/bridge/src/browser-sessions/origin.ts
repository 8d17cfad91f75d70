import { ServiceError, type RequestHead } from '@cer/http-service';

/**
 * Holds a request that changes something to this site's own pages, beside `SameSite`.
 * @param origin scheme, host and port of this bridge
 * @throws ServiceError FORBIDDEN
 */
export function refuseForgery({ headers }: Pick<RequestHead, 'headers'>, origin: string): void {
  const fetchSite = headers['sec-fetch-site'];
  if (headers['origin'] !== origin || (fetchSite !== undefined && fetchSite !== 'same-origin')) {
    throw new ServiceError({ code: 'FORBIDDEN', message: 'The request did not come from a page of this site' });
  }
}
