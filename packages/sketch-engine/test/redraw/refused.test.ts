import { expect, it } from '@jest/globals';
import { drawAgain } from './draw-again.js';

it.each([["rectMode('middle')", 'rectMode: must be CORNER, CORNERS, CENTER or RADIUS']])(
  'ends the render, even where the sketch catches the error: %s',
  async (statement, message) => {
    expect(await drawAgain(`function setup() {\n  try { ${statement}; } catch {}\n}`)).toEqual({
      kind: 'fault',
      fault: { code: 'PROTOCOL_VIOLATION', message },
    });
  },
);
