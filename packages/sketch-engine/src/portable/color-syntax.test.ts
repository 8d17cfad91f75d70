import { describe, expect, it } from '@jest/globals';
import { COLOR_NAMES } from './color-names.js';
import { colorText, parseColor } from './color-syntax.js';

describe('A CSS colour', () => {
  it.each([
    ['tomato', [255, 99, 71, 1]],
    ['RebeccaPurple', [102, 51, 153, 1]],
    ['transparent', [0, 0, 0, 0]],
    ['#abc', [170, 187, 204, 1]],
    ['#abcd', [170, 187, 204, 221 / 255]],
    ['#01020380', [1, 2, 3, 128 / 255]],
    ['rgb(1, 2, 3)', [1, 2, 3, 1]],
    ['rgba(300, -5, 3.6, 0.5)', [255, 0, 4, 0.5]],
    ['rgb(10% 20% 30% / 40%)', [26, 51, 77, 0.4]],
    ['hsl(120 50% 50% / .5)', [64, 191, 64, 0.5]],
    ['hsla(-240, 100%, 50%, 1)', [0, 255, 0, 1]],
    ['hsl(0.5turn 100% 25%)', [0, 128, 128, 1]],
    ['hsl(none 0 100)', [255, 255, 255, 1]],
  ])('is read: %j', (text, color) => {
    expect(parseColor(text)).toEqual(color);
  });

  it.each(['', 'no colour', '#ab', '#abcde', 'rgb(1, 2)', 'rgb(a, b, c)', 'hsl(10% 1 1)', 'lab(50 0 0)', 'var(--x)'])(
    'is nothing else: %j',
    (text) => {
      expect(parseColor(text)).toBeUndefined();
    },
  );

  it('is written back as the canvas writes it', () => {
    expect([colorText([255, 99, 71, 1]), colorText([1, 2, 3, 0.5])]).toEqual(['#ff6347', 'rgba(1, 2, 3, 0.5)']);
    expect(COLOR_NAMES.size).toBe(148);
  });
});
