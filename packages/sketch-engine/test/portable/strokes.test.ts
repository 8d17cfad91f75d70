import { beforeAll, describe, expect, it } from '@jest/globals';
import type { PortableContext } from '../../src/portable/context.js';
import type { MakePortableCanvas } from '../../src/portable/load.js';
import { loadEngine } from './engine.js';

let make: MakePortableCanvas;
beforeAll(async () => {
  make = await loadEngine();
});

/** Whether a stroke of the path, as wide as a finger, leaves anything on the canvas. */
function leavesInk(cap: string, trace: (ctx: PortableContext) => void): boolean {
  const ctx = make(120, 120);
  ctx.lineWidth = 20;
  ctx.lineCap = cap;
  ctx.lineJoin = 'round';
  ctx.beginPath();
  trace(ctx);
  ctx.stroke();
  return ctx.getImageData(0, 0, 120, 120).data.some((value) => value !== 0);
}

// Whether Chromium 156 draws each.
const NOTHING: Readonly<Record<string, (ctx: PortableContext) => void>> = {
  'a circle of diameter 0': (ctx) => {
    ctx.arc(50, 50, 0, 0, Math.PI * 2);
  },
  'a closed circle of diameter 0': (ctx) => {
    ctx.ellipse(50, 50, 0, 0, 0, 0, Math.PI * 2);
    ctx.closePath();
  },
  'a circle too small for its place': (ctx) => {
    ctx.arc(50, 50, 1e-9, 0, Math.PI * 2);
  },
  'a line to where it is': (ctx) => {
    ctx.moveTo(50, 50);
    ctx.lineTo(50, 50);
  },
  'a line to where it is, then a move': (ctx) => {
    ctx.moveTo(50, 50);
    ctx.lineTo(50, 50);
    ctx.moveTo(90, 90);
  },
  'a point that is closed': (ctx) => {
    ctx.moveTo(50, 50);
    ctx.closePath();
  },
  'curves to where they are': (ctx) => {
    ctx.moveTo(50, 50);
    ctx.quadraticCurveTo(50, 50, 50, 50);
    ctx.bezierCurveTo(50, 50, 50, 50, 50, 50);
  },
  'a rectangle without sides': (ctx) => {
    ctx.rect(50, 50, 0, 0);
  },
  'a rectangle without sides, at once': (ctx) => {
    ctx.strokeRect(50, 50, 0, 0);
  },
};
const SOMETHING: Readonly<Record<string, (ctx: PortableContext) => void>> = {
  'a very small circle': (ctx) => {
    ctx.arc(50, 50, 1e-4, 0, Math.PI * 2);
  },
  'an ellipse without height': (ctx) => {
    ctx.ellipse(50, 50, 20, 0, 0, 0, Math.PI * 2);
  },
  'two lines, each to where it is': (ctx) => {
    ctx.moveTo(80, 80);
    ctx.lineTo(80, 80);
    ctx.moveTo(50, 50);
    ctx.lineTo(50, 50);
  },
  'a rectangle without height, at once': (ctx) => {
    ctx.strokeRect(50, 50, 10, 0);
  },
};

describe.each(['butt', 'round', 'square'])('An empty stroke with the cap %s', (cap) => {
  it.each(Object.entries(NOTHING))('draws nothing of %s', (_name, trace) => {
    expect(leavesInk(cap, trace)).toBe(false);
  });
});

describe.each(['round', 'square'])('A stroke with the cap %s', (cap) => {
  it.each(Object.entries(SOMETHING))('draws %s', (_name, trace) => {
    expect(leavesInk(cap, trace)).toBe(true);
  });
});
