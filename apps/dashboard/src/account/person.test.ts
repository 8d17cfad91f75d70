import { describe, expect, it } from '@jest/globals';
import { EmailAddress } from './person.js';

const issuesOf = (email: string): readonly string[] =>
  EmailAddress.safeParse(email).error?.issues.map(({ code }) => code) ?? [];

describe('an e-mail address', () => {
  it.each(['a@b.example', ' A@B.EXAMPLE '])('is taken: %j', (email) => {
    expect(issuesOf(email)).toEqual([]);
  });

  it.each(['a', 'a@b', 'a@b.', 'a b@c.example', 'a@b@c.example'])('is refused: %j', (email) => {
    expect(issuesOf(email)).toEqual(['custom']);
  });

  // Matching takes time that is quadratic in the length.
  it('is not matched when it is too long', () => {
    expect(issuesOf(`a@${'.'.repeat(300)}@`)).toEqual(['too_big']);
  });
});
