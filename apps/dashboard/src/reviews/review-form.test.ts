import { describe, expect, it } from '@jest/globals';
import { reviewerOf } from './review-form.js';

describe('the reviewer that a review states', () => {
  const email = 'ada@example.org';

  it.each([
    ['name and address', 'Ada Example', `Ada Example <${email}>`],
    ['the address once, where it is the name too', email, email],
    ['the address alone, where both are too long', 'A'.repeat(1000), email],
  ])('is %s', (_, name, expected) => {
    expect(reviewerOf({ name, email })).toBe(expected);
  });
});
