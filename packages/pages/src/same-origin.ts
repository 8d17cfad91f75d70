import type { RequestHead } from '@cer/http-service';

/**
 * Whether the browser sent a request from a page of this site, by its `Origin` and `Sec-Fetch-Site` headers.
 * @param origin scheme, host and port of this site
 */
export function isSameOrigin({ headers }: Pick<RequestHead, 'headers'>, origin: string): boolean {
  const fetchSite = headers['sec-fetch-site'];
  return headers['origin'] === origin && (fetchSite === undefined || fetchSite === 'same-origin');
}
