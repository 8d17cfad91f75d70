import { isIPv6 } from 'node:net';

/** The network that counts as one client: an IPv4 address, or the /64 of an IPv6 client. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  // A scope (`fe80::1%eth0`) is the server's and not the client's.
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
