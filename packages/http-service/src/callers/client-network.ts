import { isIPv6 } from 'node:net';

/** What counts as one client: an IPv4 address, or the /64 that an IPv6 client has to itself. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  // Where a scope is named (`fe80::1%eth0`), it is ours and not the client's.
  const [plain = ''] = address.toLowerCase().split('%');
  const [head = '', tail = ''] = plain.split('::');
  const groups = head === '' ? [] : head.split(':');
  const last = tail === '' ? [] : tail.split(':');
  const zeros = plain.includes('::')
    ? Array.from({ length: Math.max(0, 8 - groups.length - last.length) }, () => '0')
    : [];
  return [...groups, ...zeros, ...last]
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':');
}
