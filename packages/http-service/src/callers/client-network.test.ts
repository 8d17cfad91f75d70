import { describe, expect, it } from '@jest/globals';

import { networkOf } from './client-network.js';

describe('networkOf', () => {
  it('returns IPv4 addresses and other text unchanged', () => {
    expect(networkOf('192.0.2.7')).toBe('192.0.2.7');
    expect(networkOf('')).toBe('');
  });

  it.each([
    ['2001:db8:1:2::1', '2001:db8:1:2:a:b:c:d'],
    ['2001:db8::1', '2001:db8::ffff:1:2:3'],
    ['2001:db8:1::1', '2001:db8:1:0:a:b:c:d'],
    ['::1', '::a:b:c:d'],
    ['2001:DB8:0001:2::1', '2001:db8:1:2::2'],
    ['fe80::1%eth0', 'fe80::2'],
  ])('is the same for %s and %s of one /64', (one, other) => {
    expect(networkOf(one)).toBe(networkOf(other));
  });

  it('differs for addresses of different /64', () => {
    const networks = ['2001:db8:1:2::1', '2001:db8:1:3::1', '2001:db8::1', '2001:db8:1::1', '::1'].map(networkOf);
    expect(new Set(networks).size).toBe(networks.length);
  });
});
