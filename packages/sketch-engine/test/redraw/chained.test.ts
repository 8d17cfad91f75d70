import { expect, it } from '@jest/globals';
import { drawAgain } from './draw-again.js';

it.each([
  ["fill('red').noStroke().rect(9, 9, 90, 90)", "fill('red'); noStroke(); rect(9, 9, 90, 90)"],
  [
    'const g = createGraphics(90, 90); image(g.background(9).circle(9, 9, 9), 5, 5)',
    'const g = createGraphics(90, 90); g.background(9); g.circle(9, 9, 9); image(g, 5, 5)',
  ],
])('chains calls that draw: %s', async (chained, single) => {
  const [one, other] = [
    await drawAgain(`function setup() { ${chained} }`),
    await drawAgain(`function setup() { ${single} }`),
  ];
  expect(one).toEqual({ ...other, kind: 'picture' });
});
