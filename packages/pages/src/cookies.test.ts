import { describe, expect, it } from '@jest/globals';
import { clearedCookie, cookieValue, hostCookie } from './cookies.js';

const valueIn = (cookie: string | undefined): string | undefined =>
  cookieValue({ headers: { cookie } }, '__Host-session');

describe('a cookie', () => {
  it('is read among others', () => {
    expect(valueIn('a=1; __Host-session=token; b=2')).toBe('token');
  });

  it.each([undefined, '', 'a=1', 'x__Host-session=token', '__Host-session', '__Host-session=a; __Host-session=b'])(
    'is absent in %s',
    (cookie) => {
      expect(valueIn(cookie)).toBeUndefined();
    },
  );

  it('is hidden from scripts and other sites', () => {
    const attributes = 'Path=/; HttpOnly; Secure; SameSite=Lax';
    expect(hostCookie('__Host-session', 'token')).toBe(`__Host-session=token; ${attributes}`);
    expect(hostCookie('__Host-session', 'token', 60)).toBe(`__Host-session=token; ${attributes}; Max-Age=60`);
    expect(clearedCookie('__Host-session')).toBe(`__Host-session=; ${attributes}; Max-Age=0`);
  });
});
