import { describe, expect, it } from '@jest/globals';
import { bearerKey } from './bearer.js';
import { ServiceError } from '../errors/service-error.js';

const head = (authorization?: string) => ({ headers: authorization === undefined ? {} : { authorization } });

describe('the bearer key', () => {
  it.each(['Bearer cer_live_a-Z_0', 'bearer cer_live_a-Z_0', 'BEARER   cer_live_a-Z_0'])(
    'is taken from %s',
    (header) => {
      expect(bearerKey(head(header))).toBe('cer_live_a-Z_0');
    },
  );

  it.each([
    undefined,
    '',
    'Bearer',
    'Bearer ',
    'Basic abc',
    'Bearer a b',
    'Bearer a,b',
    'xBearer a',
    `Bearer ${'a'.repeat(5000)}`,
  ])('is refused in %s', (header) => {
    const refused = (() => {
      try {
        return bearerKey(head(header));
      } catch (error) {
        return error;
      }
    })();
    expect(refused).toBeInstanceOf(ServiceError);
    const message = header === undefined ? /^Authorization: is missing/ : /^Authorization: must be Bearer/;
    expect(refused).toMatchObject({
      refusal: {
        ...{ code: 'UNAUTHORIZED', message: expect.stringMatching(message) },
        headers: { 'www-authenticate': 'Bearer' },
      },
    });
  });
});
