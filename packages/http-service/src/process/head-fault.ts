import type { IncomingMessage } from 'node:http';

const VERSIONS: ReadonlySet<string> = new Set(['1.0', '1.1']);

/** Fields of which Node keeps the first; a proxy may have chosen the other. */
const SINGLE = /^(?:host|authorization)$/i;

/**
 * Rules on heads that Node's parser accepts and a proxy may read differently.
 * @returns the field and the rule, or null
 * @see RFC 9112, sections 3.2 and 6.1
 */
export function headFault({ httpVersion, headers, rawHeaders }: IncomingMessage): string | null {
  if (!VERSIONS.has(httpVersion)) return 'request: must be valid HTTP/1.1';
  if (headers.host === undefined && httpVersion === '1.1') return 'host: is required';
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && (httpVersion !== '1.1' || coding.toLowerCase() !== 'chunked')) {
    return 'transfer-encoding: must be chunked, of HTTP/1.1';
  }
  return repeatedField(rawHeaders);
}

function repeatedField(rawHeaders: readonly string[]): string | null {
  const seen = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const field = rawHeaders[at] ?? '';
    if (!SINGLE.test(field)) continue;
    const name = field.toLowerCase();
    if (seen.has(name)) return `${name}: must be given once`;
    seen.add(name);
  }
  return null;
}
