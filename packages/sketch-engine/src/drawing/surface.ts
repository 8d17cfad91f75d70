import { clipFunctions } from './clips.js';
import { calculationFunctions } from './calculation.js';
import { COLOR_PARTS, colorModeOf, colorOf, lerpColors } from './color.js';
import { word } from './constants.js';
import { cssColorReader } from './css-color.js';
import { curveFunctions } from './curves.js';
import type { DrawingContext } from './drawing-context.js';
import { elementMethods } from './element-methods.js';
import { modeOf } from './modes.js';
import { bindContext } from './pictures.js';
import { pixelFunctions } from './pixels.js';
import { shapeFunctions } from './shapes.js';
import { withReaders } from './readers.js';
import { applyStyle, FIRST_STYLE, styleFunctions, type Pen, type SketchFunctions } from './style.js';
import { transformFunctions } from './transforms.js';
import { textFunctions } from './typography.js';
import { Vector } from './vector.js';
import { vertexFunctions } from './vertices.js';
import { refuse } from './violation.js';

export type MakeCanvas = (width: number, height: number) => DrawingContext;

/** Everything that draws on one canvas: the sketch's own, or one that `createGraphics` made. */
export interface Surface {
  readonly functions: SketchFunctions;
  /** The state at the start of a new frame: no transform, nothing drawn, the default blend mode. The style stays. */
  beginFrame(): void;
}

/**
 * @param publish hands the sketch its `pixels` after `loadPixels`
 * @param names what graphics have beside functions that draw: constants, `random` and the like
 * @param owner what has the functions as its members; those without a value return it, so that calls can be chained
 */
export function createSurface(
  ctx: DrawingContext,
  makeCanvas: MakeCanvas,
  publish: (pixels: Uint8ClampedArray) => void,
  names: object,
  owner: () => object,
): Surface {
  let angleMode = 'radians';
  const readCss = cssColorReader(makeCanvas(1, 1));
  const pen: Pen = {
    ctx,
    width: ctx.canvas.width,
    height: ctx.canvas.height,
    style: FIRST_STYLE,
    isClipping: false,
    radiansOf: (angle) => (angleMode === 'degrees' ? (angle * Math.PI) / 180 : angle),
    colorOf: (args) => colorOf(args, pen.style.colorMode, readCss),
    colorModeOf: (args) => colorModeOf(args, pen.style.colorMode),
    makeCanvas,
  };
  ctx.lineCap = 'round';
  ctx.lineJoin = 'miter';
  applyStyle(pen);

  const all = withReaders(pen, {
    ...styleFunctions(pen),
    ...shapeFunctions(pen),
    ...curveFunctions(pen),
    ...vertexFunctions(pen),
    ...clipFunctions(pen),
    ...transformFunctions(pen),
    ...textFunctions(pen),
    ...pixelFunctions(pen, publish),
    ...calculationFunctions(pen),
    angleMode(mode?: unknown) {
      if (mode === undefined) return angleMode;
      angleMode = modeOf(mode, ['radians', 'degrees'], 'angleMode: must be RADIANS or DEGREES');
      return undefined;
    },
    createVector: (x?: number, y?: number, z?: number) => new Vector(x, y, z, () => pen.radiansOf(1)),
    color: (...args: unknown[]) => pen.colorOf(args),
    lerpColor: (from: unknown, to: unknown, amount: number) =>
      lerpColors(pen.colorOf([from]), pen.colorOf([to]), amount, pen.style.colorMode),
    paletteLerp: (stops: readonly (readonly [unknown, number])[], amount: number) => {
      const next = stops.findIndex(([, at]) => amount < at);
      const [to, end] = stops.at(next) ?? ['black', 1];
      const [from, start] = next > 0 ? (stops[next - 1] ?? [to, end]) : [to, end];
      if (from === to) return pen.colorOf([to]);
      return lerpColors(pen.colorOf([from]), pen.colorOf([to]), (amount - start) / (end - start), pen.style.colorMode);
    },
    ...Object.fromEntries(
      Object.entries(COLOR_PARTS).map(([name, part]) => [
        name,
        (value: unknown) => part(pen.colorOf([value]), pen.style.colorMode),
      ]),
    ),
    createGraphics: (width: number, height: number, renderer?: unknown) => {
      refuseWebGl(renderer);
      return createGraphics(makeCanvas(width, height), makeCanvas, names);
    },
    createImage: pixelFunctions(pen, publish)['createImage'] ?? (() => undefined),
  });
  return {
    functions: chained(all, owner),
    beginFrame() {
      ctx.setTransform(1, 0, 0, 1, 0, 0);
      ctx.globalCompositeOperation = 'source-over';
      const { eraser } = pen.style;
      pen.style = { ...pen.style, blend: 'source-over', eraser: undefined };
      if (eraser !== undefined) applyStyle(pen);
      ctx.clearRect(0, 0, pen.width, pen.height);
    },
  };
}

function chained(functions: SketchFunctions, owner: () => object): SketchFunctions {
  const returning = Object.entries(functions).map(([name, act]) => [
    name,
    // Not an arrow function: older sketches have `new createVector(x, y)`.
    function (...args: never[]) {
      const value = act(...args);
      return value === undefined ? owner() : value;
    },
  ]);
  return Object.fromEntries(returning) as SketchFunctions;
}

/** Pixels are certified only where the CPU draws them. */
export function refuseWebGl(renderer: unknown): void {
  if (renderer !== undefined && word(renderer).toLowerCase().startsWith('webgl')) refuse('WEBGL: a sketch draws in 2D');
}

/** The prototype of graphics. */
export const GRAPHICS_PROTOTYPE: object = {};

function createGraphics(ctx: DrawingContext, makeCanvas: MakeCanvas, names: object): object {
  const graphics: Record<string, unknown> = { pixels: [] };
  const publish = (pixels: Uint8ClampedArray): void => {
    graphics['pixels'] = pixels;
  };
  const { functions } = createSurface(ctx, makeCanvas, publish, names, () => graphics);
  Object.assign(graphics, names, elementMethods(graphics), functions, {
    width: ctx.canvas.width,
    height: ctx.canvas.height,
    drawingContext: ctx,
    canvas: ctx.canvas,
    elt: ctx.canvas,
    pixelDensity: () => 1,
    reset: functions['resetMatrix'],
    remove: () => undefined,
  });
  bindContext(graphics, ctx);
  Reflect.setPrototypeOf(graphics, GRAPHICS_PROTOTYPE);
  return graphics;
}
