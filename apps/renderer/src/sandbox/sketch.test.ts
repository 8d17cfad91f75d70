import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { readAnswer, seedNumber } from './sketch.js';

describe('Seeds', () => {
  it.each([
    ['default', 1544803905],
    ['my-seed', 1462865394],
    ['', 0],
    ['\u{1f3a8}', 1773292],
  ])('makes %p the number %d', (seed, number) => {
    expect(seedNumber(seed)).toBe(number);
  });
});

describe('What a page answers', () => {
  it("is the sketch's own fault, with its line", () => {
    const answer = { fault: { code: 'RENDER_ERROR', message: 'Error: x', line: 3 } };
    expect(() => readAnswer(z.null(), answer)).toThrow(
      expect.objectContaining({
        code: 'RENDER_ERROR',
        refusal: expect.objectContaining({ message: 'Error: x', members: { line: 3 } }),
      }),
    );
  });

  it.each([
    [undefined],
    ['forged'],
    [{ fault: { code: 'OK', message: 'x' } }],
    [{ fault: { code: 'RENDER_ERROR', message: 'x'.repeat(5000) } }],
  ])('is refused when it has another shape', (answer) => {
    expect(() => readAnswer(z.object({ pixelHash: z.string() }), answer)).toThrow(
      expect.objectContaining({ code: 'RENDER_ERROR' }),
    );
  });
});
