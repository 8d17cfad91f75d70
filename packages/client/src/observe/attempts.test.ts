import { describe, expect, it } from '@jest/globals';

import { Attempts } from './attempts.js';

describe('attempts of equal calls', () => {
  it('are joined to the latest, not to one that was given up', () => {
    const attempts = new Attempts();
    attempts.ended('http://models.test', '{}', 0, 'given up');
    attempts.ended('http://models.test', '{}', 0, 'latest');
    expect(attempts.resume('http://models.test', '{}', 1)).toBe('latest');
  });
});
