import { release } from './drawing-context.js';
import type { Pen } from './style.js';
import { refuse } from './violation.js';

type PixelFilter = (pixels: Uint8ClampedArray, amount: number | undefined, width: number) => void;

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
  [
    'erode',
    (pixels, _, width) => {
      takeNeighbours(pixels, width, (other, own) => other < own);
    },
  ],
  [
    'dilate',
    (pixels, _, width) => {
      takeNeighbours(pixels, width, (other, own) => other > own);
    },
  ],
]);

/** @param kind the canvas's word, such as `blur`; any other value ends the render */
export function applyFilter(pen: Pen, kind: string, amount: number | undefined): void {
  const { ctx, width, height } = pen;
  if (kind === 'blur') {
    blur(pen, amount ?? 4);
    return;
  }
  const change = FILTERS.get(kind) ?? refuse('filter: no such filter');
  const held = ctx.getImageData(0, 0, width, height);
  change(held.data, amount, width);
  ctx.putImageData(held, 0, 0);
}

/** Skia blurs by no more; a wider margin would only need memory. */
const MAX_BLUR = 532;
/** Pixels of margin per pixel of the radius, on each side. */
const MARGIN = 3;
/** Of a canvas, in pixels. */
const MAX_SIDE = 16_384;

/** Beyond the edge the picture continues with the pixels of the edge, so that no edge becomes transparent. */
function blur({ ctx, width, height, makeCanvas }: Pen, amount: number): void {
  const radius = Math.min(MAX_BLUR, Math.max(0, amount || 0));
  const most = Math.floor((MAX_SIDE - Math.max(width, height)) / 2) / MARGIN;
  if (radius > most)
    throw new RangeError(`filter: a picture this large takes a radius of at most ${Math.floor(most)} for BLUR`);
  const margin = Math.ceil(radius * MARGIN);
  const wide = makeCanvas(width + 2 * margin, height + 2 * margin);
  wide.imageSmoothingEnabled = false;
  wide.drawImage(ctx.canvas, margin, margin);
  if (margin > 0) {
    wide.drawImage(ctx.canvas, 0, 0, 1, height, 0, margin, margin, height);
    wide.drawImage(ctx.canvas, width - 1, 0, 1, height, margin + width, margin, margin, height);
    const across = width + 2 * margin;
    wide.drawImage(wide.canvas, 0, margin, across, 1, 0, 0, across, margin);
    wide.drawImage(wide.canvas, 0, margin + height - 1, across, 1, 0, margin + height, across, margin);
  }
  ctx.save();
  ctx.setTransform(1, 0, 0, 1, 0, 0);
  ctx.clearRect(0, 0, width, height);
  ctx.filter = `blur(${radius}px)`;
  ctx.drawImage(wide.canvas, -margin, -margin);
  ctx.restore();
  release(wide);
}

/** Each pixel becomes that of its four neighbours and itself that is the darkest, or the lightest. */
function takeNeighbours(
  pixels: Uint8ClampedArray,
  width: number,
  isBetter: (other: number, own: number) => boolean,
): void {
  const before = pixels.slice();
  const light = (at: number): number => grayOf(before[at] ?? 0, before[at + 1] ?? 0, before[at + 2] ?? 0);
  const row = 4 * width;
  for (let at = 0; at < before.length; at += 4) {
    let best = at;
    const take = (other: number): void => {
      if (isBetter(light(other), light(best))) best = other;
    };
    if (at % row > 0) take(at - 4);
    if (at % row < row - 4) take(at + 4);
    if (at >= row) take(at - row);
    if (at + row < before.length) take(at + row);
    pixels.set(before.subarray(best, best + 4), at);
  }
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
