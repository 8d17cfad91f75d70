import { BlockList, isIP, isIPv4 } from 'node:net';

/** The proxies whose `X-Forwarded-For` is trusted. */
export type TrustedProxies = Pick<BlockList, 'check'>;

/** An invalid proxy list; the message names the rule, never the entry. */
export class ProxyListError extends Error {
  override readonly name = 'ProxyListError';
}

/**
 * Reads a comma-separated list of IP addresses and CIDR ranges.
 * @throws ProxyListError when an entry is neither
 */
export function parseTrustedProxies(list: string): TrustedProxies {
  const proxies = new BlockList();
  for (const entry of list.split(',')) {
    const [address = '', prefix, ...rest] = entry.trim().split('/');
    const version = isIP(address);
    const bits = version === 4 ? 32 : 128;
    const length = prefix === undefined ? bits : Number(prefix);
    if (version === 0 || rest.length > 0 || (prefix !== undefined && !/^\d{1,3}$/.test(prefix)) || length > bits) {
      throw new ProxyListError('must be IP addresses or CIDR ranges separated by commas');
    }
    proxies.addSubnet(address, length, version === 4 ? 'ipv4' : 'ipv6');
  }
  return proxies;
}

/**
 * The address of the client: the peer's, or, where the peer is a trusted proxy, the nearest untrusted address that
 * `X-Forwarded-For` names. Entries left of that were written by untrusted clients.
 * @param peer address of the socket's other end
 * @param forwardedFor the `X-Forwarded-For` header, if any
 */
export function clientAddress(peer: string, forwardedFor: string | undefined, trusted?: TrustedProxies): string {
  let address = withoutMapping(peer);
  if (trusted === undefined || forwardedFor === undefined) return address;
  const hops = forwardedFor.split(',');
  while (isTrusted(address, trusted)) {
    const hop = addressOf(hops.pop());
    if (hop === undefined) break;
    address = hop;
  }
  return address;
}

function isTrusted(address: string, trusted: TrustedProxies): boolean {
  return isIP(address) !== 0 && trusted.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
}

/** Some proxies write the port as well. */
function addressOf(hop: string | undefined): string | undefined {
  if (hop === undefined) return undefined;
  const text = hop.trim();
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  return isIP(bare) === 0 ? undefined : withoutMapping(bare);
}

function withoutMapping(address: string): string {
  const mapped = address.toLowerCase().startsWith('::ffff:') ? address.slice(7) : '';
  return isIPv4(mapped) ? mapped : address;
}
