import { blendModeOf } from './blend-modes.js';
import { Color } from './color.js';
import { word } from './constants.js';
import { release, type CanvasHandle, type DrawingContext, type Pixels } from './drawing-context.js';
import { bindContext, contextOf, drawPicture, isPicture, type Drawable } from './pictures.js';
import { applyFilter } from './filters.js';
import type { Pen, SketchFunctions } from './style.js';

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
  const levelsOf = (value: unknown): readonly number[] =>
    (value instanceof Color ? value : pen.colorOf([value])).levels;
  return {
    loadPixels: load,
    updatePixels(...region: number[]) {
      if (held === undefined) return;
      const [x = 0, y = 0, w = pen.width, h = pen.height] = region;
      ctx.putImageData(held, 0, 0, x, y, w, h);
    },
    get(x?: number, y?: number, w?: number, h?: number) {
      if (x !== undefined && y !== undefined && w === undefined)
        return Array.from(ctx.getImageData(Math.floor(x), Math.floor(y), 1, 1).data);
      const copy = makeImage(pen, w ?? pen.width, h ?? pen.height);
      contextOf(copy, 'get').putImageData(ctx.getImageData(x ?? 0, y ?? 0, w ?? pen.width, h ?? pen.height), 0, 0);
      return copy;
    },
    set(x: number, y: number, value: unknown) {
      const [left, top] = [Math.floor(x), Math.floor(y)];
      if (isPicture(value)) {
        place(ctx, contextOf(value, 'set').canvas, left, top);
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
    image(source: Drawable, ...at: readonly unknown[]) {
      drawPicture(pen, source, at);
    },
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

const IMAGE_FUNCTIONS = ['loadPixels', 'updatePixels', 'get', 'set', 'copy', 'blend', 'filter'];

function makeImage(pen: Pen, width: number, height: number): Drawable {
  const image = { width: 0, height: 0, pixels: [], pixelDensity: () => 1, save: () => undefined };
  const takeCanvas = (ctx: DrawingContext): void => {
    const own: Pen = { ...pen, ctx, width: ctx.canvas.width, height: ctx.canvas.height };
    const functions = pixelFunctions(own, (pixels) => {
      Object.assign(image, { pixels });
    });
    Object.assign(image, Object.fromEntries(IMAGE_FUNCTIONS.map((name) => [name, functions[name]])), {
      width: own.width,
      height: own.height,
      canvas: ctx.canvas,
      drawingContext: ctx,
      mask(shape: unknown) {
        const from = contextOf(shape, 'mask');
        ctx.save();
        ctx.globalCompositeOperation = 'destination-in';
        ctx.drawImage(from.canvas, 0, 0, own.width, own.height);
        ctx.restore();
      },
      // A side of 0 follows from the other one, and two of them change nothing.
      resize(w: number, h: number) {
        if (w === 0 && h === 0) return;
        const resized = pen.makeCanvas(w || (own.width * h) / own.height, h || (own.height * w) / own.width);
        resized.drawImage(ctx.canvas, 0, 0, resized.canvas.width, resized.canvas.height);
        release(ctx);
        takeCanvas(resized);
      },
    });
    bindContext(image, ctx);
    // Of another size now.
    if (image.pixels.length > 0) functions['loadPixels']?.();
  };
  takeCanvas(pen.makeCanvas(width, height));
  // After its members: a setter that the sketch gives the prototype gets none of them.
  Reflect.setPrototypeOf(image, IMAGE_PROTOTYPE);
  return image;
}
