import { describe, expect, it } from '@jest/globals';
import { CerError } from './errors.js';
import { jcsV1, svcV1 } from './profiles.js';

describe.each([svcV1, jcsV1])('$name', ({ canonicalize }) => {
  it('refuses with a CerError that names the place', () => {
    expect(() => canonicalize({ a: [NaN] })).toThrow(CerError);
    expect(() => canonicalize({ a: [NaN] })).toThrow(
      expect.objectContaining({ code: 'CANONICALIZATION_ERROR', path: 'a[0]', message: 'a[0]: not a finite number' }),
    );
  });
});
