import { expect, it } from '@jest/globals';
import { drawAgain } from './draw-again.js';

it.each([
  ['loadImage("a.png")', 'loadImage is not defined. A sketch loads nothing: write its data into its code.'],
  ['box(10)', 'box is not defined. A sketch draws in 2D: use rect, triangle, beginShape and the like.'],
  ['colorMode(OKLCH)', 'OKLCH is not defined. Colours are those of RGB, HSB and HSL.'],
  [
    'setTimeout(() => circle(9, 9, 9), 100)',
    'setTimeout is not defined. No code of a sketch runs later: draw in setup, or in draw, which runs once per frame.',
  ],
  [
    'new Promise(() => {})',
    'Promise is not defined. No code of a sketch runs later: draw in setup, or in draw, which runs once per frame.',
  ],
  ['fetch("data.json")', 'fetch is not defined. A sketch loads nothing: write its data into its code.'],
  ["createStringDict('a', 'b')", 'createStringDict is not defined. Keep values by their names in an object or a Map.'],
  ['performance.now()', 'performance is not defined. A sketch has no clock: count frames with frameCount.'],
  ['ownHelper()', 'ownHelper is not defined'],
])('says what to use instead: %s', async (statement, message) => {
  const fault = { code: 'RENDER_ERROR', line: 2, message: `ReferenceError: ${message}` };
  expect(await drawAgain(`function setup() {\n  ${statement};\n}`)).toEqual({ kind: 'fault', fault });
});
