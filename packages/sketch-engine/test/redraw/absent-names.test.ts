import { expect, it } from '@jest/globals';
import { drawAgain } from './draw-again.js';

it.each([
  ['loadImage("a.png")', 'loadImage is not defined. A sketch loads nothing: write its data into its code.'],
  ['box(10)', 'box is not defined. A sketch draws in 2D: use rect, triangle, beginShape and the like.'],
  ['colorMode(OKLCH)', 'OKLCH is not defined. Colours are those of RGB, HSB and HSL.'],
  ['ownHelper()', 'ownHelper is not defined'],
])('says what to use instead: %s', async (statement, message) => {
  const fault = { code: 'RENDER_ERROR', line: 2, message: `ReferenceError: ${message}` };
  expect(await drawAgain(`function setup() {\n  ${statement};\n}`)).toEqual({ kind: 'fault', fault });
});
