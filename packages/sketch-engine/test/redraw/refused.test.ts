import { expect, it } from '@jest/globals';
import { drawAgain } from './draw-again.js';

it.each([
  ["rectMode('middle')", 'rectMode: must be CORNER, CORNERS, CENTER or RADIUS'],
  ["color(0).toString('#rrggb')", 'toString: no such format of colours'],
  ['class Own extends p5.Image {} new Own(9, 9)', 'p5.Image: needs new, and has no subclasses'],
  ['new p5((p) => { p.draw = () => {}; })', 'new p5: make the instances of a sketch outside its functions'],
])('ends the render, even where the sketch catches the error: %s', async (statement, message) => {
  expect(await drawAgain(`function setup() {\n  try { ${statement}; } catch {}\n}`)).toEqual({
    kind: 'fault',
    fault: { code: 'PROTOCOL_VIOLATION', message },
  });
});

it('names the rule and the line for a misspelt colour', async () => {
  const rule = 'a colour in text must be a name, hexadecimal, rgb(), hsl() or hsb() with all its parts';
  expect(await drawAgain("function setup() {\n  fill('gren');\n}")).toEqual({
    kind: 'fault',
    fault: { code: 'RENDER_ERROR', message: `TypeError: ${rule}`, line: 2 },
  });
});
