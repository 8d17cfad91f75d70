import { Color } from './color.js';
import { word } from './constants.js';
import { release, type CanvasHandle, type DrawingContext, type Pixels } from './drawing-context.js';
import { box } from './shapes.js';
import type { Pen, SketchFunctions } from './style.js';

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
  const image = (source: Drawable, ...at: number[]): void => {
    const [x = 0, y = 0, w = source.width, h = source.height, sx = 0, sy = 0, sw = source.width, sh = source.height] =
      at;
    const [left, top, width, height] = box(pen.style.imageMode, x, y, w, h);
    if (!(sw > 0 && sh > 0)) return;
    withTint(pen, source, (from) => {
      ctx.drawImage(from, sx, sy, sw, sh, left, top, width, height);
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
      const own = typeof args[0] === 'number';
      const source = own ? undefined : (args[0] as Drawable);
      const [sx = 0, sy = 0, sw = 0, sh = 0, dx = 0, dy = 0, dw = 0, dh = 0] = (own ? args : args.slice(1)).map(Number);
      const from = source === undefined ? ctx : CONTEXTS.get(source);
      if (from !== undefined) ctx.drawImage(from.canvas, sx, sy, sw, sh, dx, dy, dw, dh);
    },
    filter(kind: unknown, amount?: number) {
      applyFilter(pen, word(kind).toLowerCase(), amount);
    },
  };
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
function withTint(pen: Pen, source: Drawable, draw: (from: CanvasHandle) => void): void {
  const from = CONTEXTS.get(source);
  const { tint } = pen.style;
  if (from === undefined) return;
  if (tint === undefined) {
    draw(from.canvas);
    return;
  }
  const { width, height } = from.canvas;
  const layer = pen.makeCanvas(width, height);
  layer.drawImage(from.canvas, 0, 0);
  layer.globalCompositeOperation = 'multiply';
  layer.fillStyle = new Color(tint.r, tint.g, tint.b, 1, tint.mode).toString();
  layer.fillRect(0, 0, width, height);
  layer.globalCompositeOperation = 'destination-in';
  layer.globalAlpha = tint.a;
  layer.drawImage(from.canvas, 0, 0);
  draw(layer.canvas);
  release(layer);
}

function makeImage(pen: Pen, width: number, height: number): Drawable {
  const ctx = pen.makeCanvas(width, height);
  const own: Pen = { ...pen, ctx, width: ctx.canvas.width, height: ctx.canvas.height };
  const image: Drawable & Record<string, unknown> = { width: own.width, height: own.height };
  const functions = pixelFunctions(own, (pixels) => {
    image['pixels'] = pixels;
  });
  for (const name of ['loadPixels', 'updatePixels', 'get', 'set', 'copy', 'filter']) image[name] = functions[name];
  bindContext(image, ctx);
  return image;
}

type PixelFilter = (pixels: Uint8ClampedArray, amount: number | undefined) => void;

const FILTERS: ReadonlyMap<string, PixelFilter> = new Map<string, PixelFilter>([
  [
    'gray',
    (pixels) => {
      eachPixel(pixels, (r, g, b) => grayOf(r, g, b));
    },
  ],
  [
    'invert',
    (pixels) => {
      eachChannel(pixels, (value) => 255 - value);
    },
  ],
  [
    'threshold',
    (pixels, amount = 0.5) => {
      eachPixel(pixels, (r, g, b) => (grayOf(r, g, b) >= amount * 255 ? 255 : 0));
    },
  ],
  [
    'posterize',
    (pixels, amount = 4) => {
      const levels = Math.min(255, Math.max(2, Math.round(amount)));
      eachChannel(pixels, (value) => (Math.floor((value * levels) / 256) * 255) / (levels - 1));
    },
  ],
  [
    'opaque',
    (pixels) => {
      for (let i = 3; i < pixels.length; i += 4) pixels[i] = 255;
    },
  ],
]);

function applyFilter(pen: Pen, kind: string, amount: number | undefined): void {
  const { ctx, width, height } = pen;
  if (kind === 'blur') {
    const copy = pen.makeCanvas(width, height);
    copy.drawImage(ctx.canvas, 0, 0);
    ctx.save();
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.clearRect(0, 0, width, height);
    ctx.filter = `blur(${amount ?? 4}px)`;
    ctx.drawImage(copy.canvas, 0, 0);
    ctx.restore();
    release(copy);
    return;
  }
  const held = ctx.getImageData(0, 0, width, height);
  FILTERS.get(kind)?.(held.data, amount);
  ctx.putImageData(held, 0, 0);
}

function grayOf(r: number, g: number, b: number): number {
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function eachPixel(pixels: Uint8ClampedArray, valueOf: (r: number, g: number, b: number) => number): void {
  for (let i = 0; i < pixels.length; i += 4) {
    pixels.fill(valueOf(pixels[i] ?? 0, pixels[i + 1] ?? 0, pixels[i + 2] ?? 0), i, i + 3);
  }
}

function eachChannel(pixels: Uint8ClampedArray, valueOf: (value: number) => number): void {
  for (let i = 0; i < pixels.length; i++) if (i % 4 !== 3) pixels[i] = valueOf(pixels[i] ?? 0);
}
