/** Headers of one connection, and those that the proxy sets itself. @see RFC 9110, 7.6.1 */
const OWN: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade', 'host', 'expect', 'accept-encoding'],
]);

/**
 * The headers that are passed on. `Connection` may name more that are not, but not the one that says where a body ends.
 * @param raw names and values in turn
 */
export function passedOn(raw: readonly string[]): [name: string, value: string][] {
  const pairs: [name: string, value: string][] = [];
  for (let at = 0; at < raw.length; at += 2) pairs.push([raw[at] ?? '', raw[at + 1] ?? '']);
  const named = pairs
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(',').map((name) => name.trim().toLowerCase()))
    .filter((name) => name !== 'content-length');
  return pairs.filter(([name]) => !OWN.has(name.toLowerCase()) && !named.includes(name.toLowerCase()));
}
