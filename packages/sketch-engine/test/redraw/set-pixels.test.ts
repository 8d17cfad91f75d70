import { expect, it } from '@jest/globals';
import { drawAgain } from './draw-again.js';

const sketch = (statements: string): string =>
  `function setup() { background(240, 200, 40); noStroke(); ${statements} }`;
/** Square of 40 by 40 pixels at 100, 60. */
const square = (fill: string): string => sketch(`fill(${fill}); rect(100, 60, 40, 40);`);
const each = (act: string): string => `for (let x = 100; x < 140; x++) for (let y = 60; y < 100; y++) ${act};`;

it.each([
  ['a grey, after loadPixels', `loadPixels(); ${each('set(x, y, 90)')} updatePixels();`, square('90')],
  ['a colour', `const c = color(10, 120, 230); ${each('set(x + 0.7, y, c)')} updatePixels();`, square('10, 120, 230')],
  ['a list', `${each('set(x, y, [10, 120, 230, 255])')} updatePixels();`, square('10, 120, 230')],
  ['a name', `${each("set(x, y, 'teal')")} updatePixels();`, square("'teal'")],
  ['a grey in another mode', `colorMode(HSB); ${each('set(x, y, 90)')} updatePixels();`, square('90')],
  ['pixels that are not shown', each('set(x, y, 90)'), sketch('')],
  ['pixels outside', 'set(-1, 5, 0); set(width, 5, 0); set(5, height, 0); set(5, -1, 0); updatePixels();', sketch('')],
  [
    'pixels of an image',
    `const made = createImage(40, 40); ${each('made.set(x - 100, y - 60, 90)')} made.updatePixels(); image(made, 100, 60);`,
    square('90'),
  ],
  [
    'a graphic',
    'const made = createGraphics(40, 40); made.background(90); translate(7, 9); set(100, 60, made);',
    square('90'),
  ],
])('sets %s as p5.js does', async (_what, statements, same) => {
  const drawn = await drawAgain(sketch(statements));
  expect(drawn.kind).toBe('picture');
  expect(drawn).toEqual(await drawAgain(same));
});
