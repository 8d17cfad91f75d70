import { describe, expect, it } from '@jest/globals';
import { clientAddress, parseTrustedProxies } from './client-address.js';

describe('the client address', () => {
  const trusted = parseTrustedProxies('127.0.0.1, 10.0.0.0/8,fd00::/8');

  it.each([
    ['ignores the header when no proxy is trusted', '127.0.0.1', '1.2.3.4', undefined, '127.0.0.1'],
    ['ignores the header of a peer that is not a proxy', '9.9.9.9', '1.2.3.4', trusted, '9.9.9.9'],
    ['is the peer without a header', '127.0.0.1', undefined, trusted, '127.0.0.1'],
    ['is the address that the proxy saw', '127.0.0.1', '1.2.3.4', trusted, '1.2.3.4'],
    ['is not an entry that the client wrote', '127.0.0.1', '6.6.6.6, 1.2.3.4', trusted, '1.2.3.4'],
    ['passes through a chain of proxies', '127.0.0.1', '1.2.3.4, 10.1.1.1, fd00::1', trusted, '1.2.3.4'],
    ['recognizes a mapped proxy address', '::ffff:10.0.0.1', '1.2.3.4', trusted, '1.2.3.4'],
    ['shows IPv4 as IPv4', '::ffff:1.2.3.4', undefined, trusted, '1.2.3.4'],
    ['drops ports', '127.0.0.1', '1.2.3.4:5678', trusted, '1.2.3.4'],
    ['drops brackets', '127.0.0.1', '[2001:db8::1]:80', trusted, '2001:db8::1'],
    ['stops at an entry that is not an address', '127.0.0.1', '1.2.3.4, unknown', trusted, '127.0.0.1'],
    ['is the outermost proxy when all are proxies', '127.0.0.1', '10.0.0.1', trusted, '10.0.0.1'],
  ])('%s', (_rule, peer, header, proxies, address) => {
    expect(clientAddress(peer, header, proxies)).toBe(address);
  });

  it.each(['', 'proxy', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0.1,,', 'fd00::/129'])(
    'refuses the proxy list %j without repeating it',
    (list) => {
      expect(() => parseTrustedProxies(list)).toThrow(/^must be IP addresses or CIDR ranges separated by commas$/);
    },
  );
});
