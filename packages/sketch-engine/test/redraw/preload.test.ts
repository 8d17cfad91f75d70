import { expect, it } from '@jest/globals';
import { drawAgain } from './draw-again.js';

const DRAWN = drawAgain('function setup() { background(9); rect(5, 5, 50, 50); }');

it.each([
  'let grey; function preload() { grey = 9; } function setup() { background(grey); rect(5, 5, 50, 50); }',
  'let grey; function preload() { grey = 9; } function draw() { background(grey); rect(5, 5, 50, 50); }',
  'new p5((p) => { let grey; p.preload = () => { grey = 9; }; p.draw = () => { p.background(grey); p.rect(5, 5, 50, 50); }; });',
])('calls preload before setup: %s', async (code) => {
  expect(await drawAgain(code)).toEqual({ ...(await DRAWN), kind: 'picture' });
});

it('says what to do instead where preload loads', async () => {
  const code =
    "let cat;\nfunction preload() {\n  cat = loadImage('cat.png');\n}\nfunction setup() { image(cat, 0, 0); }";
  const message = 'ReferenceError: loadImage is not defined. A sketch loads nothing: write its data into its code.';
  expect(await drawAgain(code)).toEqual({ kind: 'fault', fault: { code: 'RENDER_ERROR', message, line: 3 } });
});
