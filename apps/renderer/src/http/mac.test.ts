import { describe, expect, it } from '@jest/globals';
import { Secret } from '@cer/http-service/config';
import { sha256 } from '@cer/cer-core';
import { createAnswerMac, nonceOf } from './mac.js';

const mac = createAnswerMac(new Secret('k'.repeat(40)));
const body = Buffer.from('{"code":"x"}');

describe('The MAC of an answer', () => {
  it('is the HMAC of the canonical nonce and hashes', () => {
    expect(mac.of('nonce-0123456789', body, sha256('answer'))).toBe('3WyBBPXdjv-oknM7ZxQyRhq0hxG-NWF4cAoqLCpkwL8');
  });

  it('differs for another nonce, request, answer or token', () => {
    const all = [
      mac.of('nonce-0123456789', body, sha256('answer')),
      mac.of('nonce-0123456780', body, sha256('answer')),
      mac.of('nonce-0123456789', Buffer.from('{}'), sha256('answer')),
      mac.of('nonce-0123456789', body, sha256('other')),
      createAnswerMac(new Secret('l'.repeat(40))).of('nonce-0123456789', body, sha256('answer')),
    ];
    expect(new Set(all).size).toBe(5);
  });

  it.each([undefined, '', 'short', 'x'.repeat(129), 'has a space in it, so'])(
    'asks for a nonce that is one: %p',
    (nonce) => {
      expect(() => nonceOf({ headers: { 'x-render-nonce': nonce } })).toThrow(
        expect.objectContaining({ code: 'VALIDATION_ERROR' }),
      );
    },
  );
});
