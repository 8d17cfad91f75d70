import { blendModeOf } from './blend-modes.js';
import { Color } from './color.js';
import { word } from './constants.js';
import { release, type CanvasHandle, type DrawingContext, type Pixels } from './drawing-context.js';
import { applyFilter } from './filters.js';
import { fitImage } from './image-fit.js';
import { box } from './shapes.js';
import { ERASING, type Pen, type SketchFunctions } from './style.js';

/** A source of `image()`: a graphics surface or an image that the sketch made. */
export interface Drawable {
  readonly width: number;
  readonly height: number;
}

const CONTEXTS = new WeakMap<object, DrawingContext>();

/** Records the canvas of an object that sketches hold. */
export function bindContext(drawable: object, ctx: DrawingContext): void {
  CONTEXTS.set(drawable, ctx);
}

/** @throws TypeError for a value that is not a picture */
function contextOf(source: unknown, name: string): DrawingContext {
  const ctx = typeof source === 'object' && source !== null ? CONTEXTS.get(source) : undefined;
  if (ctx === undefined) throw new TypeError(`${name}: the picture must be of createImage, createGraphics or get`);
  return ctx;
}

/** The prototype of images. */
export const IMAGE_PROTOTYPE: object = {};

/**
 * The functions that read and write pixels; `publish` hands the sketch its `pixels`. Pixels that `set` changed are
 * shown by `updatePixels`.
 */
export function pixelFunctions(pen: Pen, publish: (pixels: Uint8ClampedArray) => void): SketchFunctions {
  const { ctx } = pen;
  let held: Pixels | undefined;
  const load = (): void => {
    held = ctx.getImageData(0, 0, pen.width, pen.height);
    publish(held.data);
  };
  const image = (source: Drawable, ...at: readonly unknown[]): void => {
    const from = contextOf(source, 'image');
    const [x, y, w, h, sx, sy, sw, sh] = at.slice(0, 8).map((value) => (value === undefined ? 0 : Number(value)));
    const { width, height } = source;
    const place = box(pen.style.imageMode, x ?? 0, y ?? 0, w || width, h || height);
    const part = [sx || 0, sy || 0, sideOf(sw, width), sideOf(sh, height)] as const;
    const [shown, shownAt] = fitImage(part, place, at.slice(8));
    withTint(pen, from, (canvas) => {
      // Only shapes erase.
      const isErasing = pen.style.eraser !== undefined;
      if (isErasing) ctx.globalCompositeOperation = pen.style.blend;
      ctx.drawImage(canvas, ...shown, ...shownAt);
      if (isErasing) ctx.globalCompositeOperation = ERASING;
    });
  };
  const levelsOf = (value: unknown): readonly number[] =>
    (value instanceof Color ? value : pen.colorOf([value])).levels;
  return {
    loadPixels: load,
    updatePixels() {
      if (held !== undefined) ctx.putImageData(held, 0, 0);
    },
    get(x?: number, y?: number, w?: number, h?: number) {
      if (x !== undefined && y !== undefined && w === undefined)
        return Array.from(ctx.getImageData(Math.floor(x), Math.floor(y), 1, 1).data);
      const copy = makeImage(pen, w ?? pen.width, h ?? pen.height);
      CONTEXTS.get(copy)?.putImageData(ctx.getImageData(x ?? 0, y ?? 0, w ?? pen.width, h ?? pen.height), 0, 0);
      return copy;
    },
    set(x: number, y: number, value: unknown) {
      const [left, top] = [Math.floor(x), Math.floor(y)];
      const from = typeof value === 'object' && value !== null ? CONTEXTS.get(value) : undefined;
      if (from !== undefined) {
        place(ctx, from.canvas, left, top);
        return;
      }
      if (held === undefined) load();
      if (held === undefined || !(left >= 0 && left < held.width && top >= 0 && top < held.height)) return;
      const { data, width } = held;
      const at = 4 * (top * width + left);
      // A number is a grey in every colour mode, as in p5.js.
      const [r = 0, g = 0, b = 0, a = 255] =
        typeof value === 'number' ? [value, value, value] : Array.isArray(value) ? value.map(Number) : levelsOf(value);
      data[at] = r;
      data[at + 1] = g;
      data[at + 2] = b;
      data[at + 3] = a;
    },
    createImage: (w: number, h: number) => makeImage(pen, w, h),
    image,
    copy(...args: unknown[]) {
      copyRegion(ctx, args, 'copy');
    },
    blend(...args: unknown[]) {
      ctx.save();
      ctx.globalCompositeOperation = blendModeOf(args.at(-1));
      copyRegion(ctx, args.slice(0, -1), 'blend');
      ctx.restore();
    },
    filter(kind: unknown, amount?: number) {
      applyFilter(pen, word(kind).toLowerCase(), amount);
    },
  };
}

/** A side that is not within the picture is the whole one. */
function sideOf(side: number | undefined, whole: number): number {
  return side !== undefined && side > 0 && side < whole ? side : whole;
}

/** `copy(source?, sx, sy, sw, sh, dx, dy, dw, dh)`; without a source the canvas is its own. */
function copyRegion(ctx: DrawingContext, args: readonly unknown[], name: string): void {
  const [source] = args;
  const isOther = args.length > 8 || typeof source === 'object';
  const [sx = 0, sy = 0, sw = 0, sh = 0, dx = 0, dy = 0, dw = 0, dh = 0] = (isOther ? args.slice(1) : args).map(Number);
  const from = isOther ? contextOf(source, name) : ctx;
  ctx.drawImage(from.canvas, sx, sy, sw, sh, dx, dy, dw, dh);
}

/** Replaces what is there, whatever the transform. */
function place(ctx: DrawingContext, picture: CanvasHandle, left: number, top: number): void {
  ctx.save();
  ctx.setTransform(1, 0, 0, 1, 0, 0);
  ctx.clearRect(left, top, picture.width, picture.height);
  ctx.drawImage(picture, left, top);
  ctx.restore();
}

/** Draws from the canvas of a source, multiplied by the tint where there is one. */
function withTint(pen: Pen, from: DrawingContext, draw: (canvas: CanvasHandle) => void): void {
  const { tint } = pen.style;
  if (tint === undefined) {
    draw(from.canvas);
    return;
  }
  const { width, height } = from.canvas;
  const layer = pen.makeCanvas(width, height);
  // By pixels: a blend mode of the canvas would show the tint where the source is transparent.
  const held = from.getImageData(0, 0, width, height);
  tintPixels(held.data, tint);
  layer.putImageData(held, 0, 0);
  draw(layer.canvas);
  release(layer);
}

function tintPixels(pixels: Uint8ClampedArray, tint: Color): void {
  const [r, g, b] = [tint.r / 255, tint.g / 255, tint.b / 255];
  for (let i = 0; i < pixels.length; i += 4) {
    pixels[i] = (pixels[i] ?? 0) * r;
    pixels[i + 1] = (pixels[i + 1] ?? 0) * g;
    pixels[i + 2] = (pixels[i + 2] ?? 0) * b;
    pixels[i + 3] = (pixels[i + 3] ?? 0) * tint.a;
  }
}

const IMAGE_FUNCTIONS = ['loadPixels', 'updatePixels', 'get', 'set', 'copy', 'blend', 'filter'];

function makeImage(pen: Pen, width: number, height: number): Drawable {
  const image = { width: 0, height: 0, pixels: [], pixelDensity: () => 1 };
  const takeCanvas = (ctx: DrawingContext): void => {
    const own: Pen = { ...pen, ctx, width: ctx.canvas.width, height: ctx.canvas.height };
    const functions = pixelFunctions(own, (pixels) => {
      Object.assign(image, { pixels });
    });
    Object.assign(image, Object.fromEntries(IMAGE_FUNCTIONS.map((name) => [name, functions[name]])), {
      width: own.width,
      height: own.height,
      mask(shape: unknown) {
        const from = contextOf(shape, 'mask');
        ctx.save();
        ctx.globalCompositeOperation = 'destination-in';
        ctx.drawImage(from.canvas, 0, 0, own.width, own.height);
        ctx.restore();
      },
      // A side of 0 follows from the other one.
      resize(w: number, h: number) {
        const resized = pen.makeCanvas(w || (own.width * h) / own.height, h || (own.height * w) / own.width);
        resized.drawImage(ctx.canvas, 0, 0, resized.canvas.width, resized.canvas.height);
        release(ctx);
        takeCanvas(resized);
      },
    });
    bindContext(image, ctx);
  };
  takeCanvas(pen.makeCanvas(width, height));
  // After its members: a setter that the sketch gives the prototype gets none of them.
  Reflect.setPrototypeOf(image, IMAGE_PROTOTYPE);
  return image;
}
