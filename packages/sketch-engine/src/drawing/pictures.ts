import type { Color } from './color.js';
import { release, type CanvasHandle, type DrawingContext } from './drawing-context.js';
import { fitImage } from './image-fit.js';
import { box } from './shapes.js';
import { ERASING, type Pen } from './style.js';

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

export function isPicture(value: unknown): value is Drawable {
  return typeof value === 'object' && value !== null && CONTEXTS.has(value);
}

/** @throws TypeError for a value that is not a picture */
export function contextOf(source: unknown, name: string): DrawingContext {
  const ctx = isPicture(source) ? CONTEXTS.get(source) : undefined;
  if (ctx === undefined) throw new TypeError(`${name}: the picture must be of createImage, createGraphics or get`);
  return ctx;
}

/** `image(picture, x, y, ...)`, with the tint and the image mode of the style. */
export function drawPicture(pen: Pen, picture: Drawable, at: readonly unknown[]): void {
  const from = contextOf(picture, 'image');
  const { ctx } = pen;
  const [x = NaN, y = NaN, w, h, sx, sy, sw, sh] = at.slice(0, 8).map(Number);
  const { width, height } = picture;
  const place = box(pen.style.imageMode, x, y, w || width, h || height);
  const part = [sx || 0, sy || 0, sideOf(sw, width), sideOf(sh, height)] as const;
  const [shown, shownAt] = fitImage(part, place, at.slice(8));
  withTint(pen, from, (canvas) => {
    // Only shapes erase.
    const isErasing = pen.style.eraser !== undefined;
    if (isErasing) ctx.globalCompositeOperation = pen.style.blend;
    ctx.drawImage(canvas, ...shown, ...shownAt);
    if (isErasing) ctx.globalCompositeOperation = ERASING;
  });
}

/** A side that is not within the picture is the whole one. */
function sideOf(side: number | undefined, whole: number): number {
  return side !== undefined && side > 0 && side < whole ? side : whole;
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
