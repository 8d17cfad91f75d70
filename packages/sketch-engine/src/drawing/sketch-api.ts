import { createP5Runtime, createProtocolVAR } from '@nexart/codemode-sdk/core';
import { Color } from './color.js';
import { CONSTANTS } from './constants.js';
import type { DrawingContext } from './drawing-context.js';
import { elementMethods } from './element-methods.js';
import { INPUT_FUNCTIONS, RESTING, storageFunctions } from './input-state.js';
import { instanceMode } from './instance-mode.js';
import { listFunctions } from './lists.js';
import type { SketchFunctions } from './style.js';
import { bindContext } from './pictures.js';
import { IMAGE_PROTOTYPE } from './pixels.js';
import { sketchClass } from './sketch-class.js';
import { createSurface, GRAPHICS_PROTOTYPE, refuseWebGl, type MakeCanvas } from './surface.js';
import { randomVectorsFrom, Vector } from './vector.js';
import { refuse } from './violation.js';

/** The inputs of a render besides the code. */
export interface SketchInput {
  /** 32 bit, from the request's text. */
  readonly seed: number;
  readonly vars: readonly number[];
  /** 1 for a still. */
  readonly totalFrames: number;
  readonly fps: number;
}

export interface SketchApi {
  /** Every global name of the sketch with its value. */
  readonly globals: ReadonlyMap<string, unknown>;
  /** After the top level of the sketch. */
  begin(): void;
  /** Before `draw` of a still. */
  beginStill(): void;
  beginFrame(): void;
}

const WITHOUT_EFFECT = [
  'noLoop',
  'loop',
  'redraw',
  'setFrameRate',
  'cursor',
  'noCursor',
  'describe',
  'describeElement',
  'textOutput',
  'gridOutput',
  'print',
  'setAttributes',
  'save',
  'saveCanvas',
  'saveFrames',
  'saveGif',
  'requestPointerLock',
  'exitPointerLock',
  'setMoveThreshold',
  'setShakeThreshold',
  'bezierDetail',
  'curveDetail',
];
/**
 * The parts of the pinned runtime that are used unchanged: its generator, its noise, its vectors of plain objects and
 * its easing.
 */
const FROM_RUNTIME = [
  'random',
  'randomSeed',
  'randomGaussian',
  'noise',
  'noiseSeed',
  'noiseDetail',
  'fbm',
  'ridgedNoise',
  'curlNoise',
  'vec',
  'vecAdd',
  'vecSub',
  'vecMult',
  'vecMag',
  'vecNorm',
  'vecDist',
  'easeIn',
  'easeOut',
  'easeInOut',
  'easeCubic',
  'easeExpo',
];
const CLOCKS = ['hour', 'minute', 'second', 'day', 'month', 'year'];

/** Makes the global surface of a sketch on its canvas: p5.js's names on the pinned Code Mode runtime. */
export function createSketchApi(
  ctx: DrawingContext,
  makeCanvas: MakeCanvas,
  input: SketchInput,
  setGlobal: (name: string, value: unknown) => void,
): SketchApi {
  const { width, height } = ctx.canvas;
  // Its own canvas is unused: this layer draws, the runtime provides randomness and noise.
  const spare = makeCanvas(1, 1);
  const runtime = createP5Runtime({ getContext: () => spare }, width, height, { seed: input.seed });
  const random = (): number => Number(runtime.random());
  const names: Readonly<Record<string, unknown>> = {
    ...CONSTANTS,
    ...listFunctions(random),
    ...Object.fromEntries(FROM_RUNTIME.map((name) => [name, runtime[name]])),
    ...Object.fromEntries(WITHOUT_EFFECT.map((name) => [name, () => undefined])),
  };
  const publish = (pixels: Uint8ClampedArray): void => {
    setGlobal('pixels', pixels);
  };
  const surface = createSurface(ctx, makeCanvas, publish, names, () => globalThis);
  randomVectorsFrom(random);
  const { createImage = refuse, createGraphics = refuse } = surface.functions;
  const classes = {
    Color: sketchClass('Color', Color.prototype, () => refuse('p5.Color: make a colour with color')),
    Image: sketchClass('Image', IMAGE_PROTOTYPE, createImage),
    Graphics: sketchClass('Graphics', GRAPHICS_PROTOTYPE, createGraphics),
  };
  const instances = instanceMode(() => globals.keys(), { Vector, ...classes });
  const globals: ReadonlyMap<string, unknown> = new Map<string, unknown>([
    ...Object.entries(names),
    ...Object.entries(surface.functions),
    ...Object.entries(RESTING),
    ...Object.entries(INPUT_FUNCTIONS),
    ...Object.entries(storageFunctions()),
    ...CLOCKS.map((name): [string, unknown] => [name, () => refuse(`${name}: a sketch has no clock`)]),
    ...Object.entries(canvasFunctions(ctx)),
    ...Object.entries({ p5: instances.p5 }),
    ...Object.entries({
      width,
      height,
      windowWidth: width,
      windowHeight: height,
      displayWidth: width,
      displayHeight: height,
      webglVersion: CONSTANTS.P2D,
    }),
    ...Object.entries({ drawingContext: ctx, pixels: [], SEED: input.seed, VAR: createProtocolVAR(input.vars) }),
    ...Object.entries(frameGlobals(0, input)),
    ...Object.entries({
      deltaTime: 1000 / input.fps,
      totalFrames: input.totalFrames,
      isLooping: () => input.totalFrames > 1,
    }),
    ...['frameRate', 'getFrameRate', 'getTargetFrameRate'].map((name): [string, unknown] => [name, () => input.fps]),
  ]);
  return {
    globals,
    begin() {
      instances.begin();
    },
    beginStill() {
      ctx.setTransform(1, 0, 0, 1, 0, 0);
    },
    beginFrame() {
      surface.beginFrame();
    },
  };
}

/** The clock of a sketch is its frame number. */
export function frameGlobals(frame: number, { totalFrames, fps }: SketchInput): Record<string, unknown> {
  const t = frame / totalFrames;
  const time = frame / fps;
  return { frameCount: frame, t, tGlobal: t, time, millis: () => time * 1000 };
}

/** The canvas has one size. p5.js returns an element that can be placed on a page; here there is no page. */
function canvasFunctions(ctx: DrawingContext): SketchFunctions {
  const { width, height } = ctx.canvas;
  const canvas: Record<string, unknown> = { width, height, canvas: ctx.canvas, elt: ctx.canvas, drawingContext: ctx };
  bindContext(canvas, ctx);
  Object.assign(canvas, elementMethods(canvas));
  const sameSize = (name: string, w: unknown, h: unknown): void => {
    if (w !== width || h !== height) refuse(`${name}: the canvas is ${width} by ${height}`);
  };
  return {
    createCanvas(w: unknown, h: unknown, renderer?: unknown) {
      sameSize('createCanvas', w, h);
      refuseWebGl(renderer);
      return canvas;
    },
    resizeCanvas(w: unknown, h: unknown) {
      sameSize('resizeCanvas', w, h);
    },
    pixelDensity(density?: unknown) {
      if (density !== undefined && density !== 1) refuse('pixelDensity: is 1');
      return 1;
    },
    displayDensity: () => 1,
  };
}
