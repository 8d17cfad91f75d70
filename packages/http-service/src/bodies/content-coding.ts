import type { IncomingHttpHeaders } from 'node:http';

/**
 * The content coding of a request, in lower case. `x-gzip` is `gzip`.
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-8.4.1.3
 */
export function codingOf(headers: Pick<IncomingHttpHeaders, 'content-encoding'>): string {
  const coding = headers['content-encoding']?.toLowerCase() ?? 'identity';
  return coding === 'x-gzip' ? 'gzip' : coding;
}
