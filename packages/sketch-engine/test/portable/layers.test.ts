import { beforeAll, describe, expect, it } from '@jest/globals';
import CanvasKitInit, { type Canvas, type CanvasKit, type Paint } from 'canvaskit-wasm';
import { parseFilter } from '../../src/portable/filters.js';
import type { Matrix } from '../../src/portable/matrix.js';
import { MemorySurface } from '../../src/portable/memory-surface.js';
import { Painter } from '../../src/portable/painter.js';
import { PathRecorder } from '../../src/portable/path-recorder.js';
import { FIRST_STATE, type CanvasState } from '../../src/portable/state.js';

const SIZE = 240;
const filtered = (text: string): Partial<CanvasState> => ({ filter: parseFilter(text) ?? null });
const EFFECTS: Readonly<Record<string, Partial<CanvasState>>> = {
  'a soft shadow': { shadowBlur: 30, shadowColor: [200, 20, 60, 0.7] },
  'a hard shadow far away': { shadowColor: [0, 136, 51, 1], shadowX: -70.5, shadowY: 44.25 },
  'a little blur': filtered('blur(1.3px)'),
  'a wide blur': filtered('blur(37px)'),
  'blur, shadow and colours': {
    ...filtered('invert(0.8) blur(4px) drop-shadow(20px -9px 6px tomato) hue-rotate(40deg) opacity(70%)'),
    shadowBlur: 9,
    shadowColor: [0, 0, 128, 1],
    shadowX: 5,
  },
  'a shadow that multiplies': { shadowBlur: 12, shadowColor: [255, 136, 0, 1], blend: 'multiply', alpha: 0.6 },
};
const PLACES: Readonly<Record<string, Matrix>> = {
  straight: [1, 0, 0, 1, 0, 0],
  turned: [0.8, 0.5, -0.6, 0.7, 60.3, -20.7],
  mirrored: [-1.4, 0, 0.3, 0.6, 230, 30],
  'half outside': [1, 0, 0, 1, -90, 110],
};

/** @param isKnown whether the painter learns what the shapes cover */
function drawn(kit: CanvasKit, effect: Partial<CanvasState>, matrix: Matrix, isKnown: boolean): Uint8Array {
  const surface = new MemorySurface(kit, SIZE, SIZE);
  const painter = new Painter(kit, surface);
  const act = (kind: 'fill' | 'stroke', state: CanvasState, path: PathRecorder): void => {
    const made = path.toPath();
    const draw = (canvas: Canvas, paint: Paint): void => {
      canvas.drawPath(made, paint);
    };
    painter[kind](state, { draw, ...(isKnown && { bounds: () => path.bounds }) });
    made.delete();
  };
  const ground = new PathRecorder(kit);
  ground.rect(0, 0, SIZE, SIZE / 2);
  act('fill', { ...FIRST_STATE, fill: [253, 230, 176, 1] }, ground);
  const state: CanvasState = {
    ...FIRST_STATE,
    ...effect,
    matrix,
    fill: [51, 102, 170, 1],
    stroke: [90, 0, 120, 0.8],
    lineWidth: 7.5,
  };
  const disc = new PathRecorder(kit);
  disc.ellipse(110, 100, 31.3, 18.7, 0.4, 0, 7, false);
  act('fill', state, disc);
  // A sharp corner, whose tip is far from its line.
  const corner = new PathRecorder(kit);
  corner.moveTo(90, 160);
  corner.lineTo(150, 164);
  corner.lineTo(90, 171);
  act('stroke', state, corner);
  const pixels = Uint8Array.from(surface.pixels());
  surface.dispose();
  return pixels;
}

describe('A layer for what is drawn alone', () => {
  let kit: CanvasKit;
  beforeAll(async () => {
    kit = await CanvasKitInit.default();
  });

  const cases = Object.entries(EFFECTS).flatMap(([effect, state]) =>
    Object.entries(PLACES).map(([place, matrix]) => [effect, place, state, matrix] as const),
  );
  it.each(cases)('draws %s, %s, as a layer for the whole canvas does', (_effect, _place, state, matrix) => {
    const whole = drawn(kit, state, matrix, false);
    const steps = drawn(kit, state, matrix, true).map((value, at) => Math.abs(value - (whole[at] ?? 0)));
    // A blur that reaches the edge of the canvas begins its sums elsewhere.
    expect(Math.max(...new Set(steps))).toBeLessThanOrEqual(1);
  });

  it('covers only the drawing, except in modes that change more', () => {
    const layers: unknown[] = [];
    const surface = new MemorySurface(kit, SIZE, SIZE);
    const saveLayer = surface.canvas.saveLayer.bind(surface.canvas);
    surface.canvas.saveLayer = (paint, bounds) => {
      layers.push(bounds);
      return saveLayer(paint, bounds);
    };
    const painter = new Painter(kit, surface);
    const drawing = { draw: () => undefined, bounds: () => [10, 20, 30, 40] as const };
    const shadow = { ...FIRST_STATE, shadowBlur: 10, shadowColor: [0, 0, 0, 1] as const };
    painter.fill(shadow, drawing);
    painter.stroke({ ...shadow, lineWidth: 2, lineJoin: 'bevel' }, drawing);
    painter.fill({ ...shadow, blend: 'source-in' }, drawing);
    painter.fill(shadow, { draw: drawing.draw });
    painter.fill(shadow, { ...drawing, bounds: () => [0, 0, Infinity, 1] });
    expect(layers).toEqual([[9, 19, 31, 41], [7, 17, 33, 43], null, null, null]);
    surface.dispose();
  });
});
