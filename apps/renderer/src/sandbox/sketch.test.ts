import { describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import { readAnswer } from './sketch.js';

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

  it('shows control and directional characters by number', () => {
    const answer = { fault: { code: 'PROTOCOL_VIOLATION', message: '\x1b]0;x\x07\u202Etxt' } };
    expect(() => readAnswer(z.null(), answer)).toThrow('\\u{1b}]0;x\\u{7}\\u{202e}txt');
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
