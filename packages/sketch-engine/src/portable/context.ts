import type { Canvas, CanvasKit, Paint } from 'canvaskit-wasm';
import { boundsOf } from './bounds.js';
import { PortableGradient, PortablePattern } from './fills.js';
import { PortableImageData } from './image-data.js';
import { placeImage } from './image-drawing.js';
import { areFinite, IDENTITY, invert, isSame, multiply, type Matrix } from './matrix.js';
import { MemorySurface } from './memory-surface.js';
import { Painter, type Drawing } from './painter.js';
import { PathRecorder } from './path-recorder.js';
import { readPixels, writePixels } from './pixel-copy.js';
import { cornersOf } from './round-corners.js';
import { defineSettings, type CanvasSettings } from './settings.js';
import { FIRST_STATE, type CanvasState } from './state.js';
import { layOutLine, measureLine, type TextMeasures } from './text-layout.js';
import type { TextShaper } from './text-shaper.js';
import { numberOf, textOf } from './values.js';

/** The resources that all canvases of a page share. */
export interface PortableTools {
  readonly kit: CanvasKit;
  readonly shaper: TextShaper;
}

/** The canvas object that sketches hold. */
export interface CanvasHandle {
  readonly width: number;
  readonly height: number;
}

interface OwnCanvas extends CanvasHandle {
  /** The context of the canvas for `2d`, else null: pixels are certified only where the CPU draws them. */
  getContext(kind: string): PortableContext | null;
}

type MatrixLike = Partial<Readonly<Record<'a' | 'b' | 'c' | 'd' | 'e' | 'f', number>>>;
type Rule = 'nonzero' | 'evenodd';

const SURFACES = new WeakMap<object, MemorySurface>();

/**
 * The canvas's 2D context on Skia compiled to WebAssembly: the same picture on every machine. A sketch may hold it; the
 * drawing objects are private. Text runs from left to right. There are no `Path2D`, images other than canvases, and
 * focus.
 */
export class PortableContext implements CanvasSettings {
  readonly canvas: OwnCanvas;
  declare fillStyle: unknown;
  declare strokeStyle: unknown;
  declare globalAlpha: number;
  declare globalCompositeOperation: string;
  declare lineWidth: number;
  declare lineCap: string;
  declare lineJoin: string;
  declare miterLimit: number;
  declare lineDashOffset: number;
  declare shadowColor: string;
  declare shadowBlur: number;
  declare shadowOffsetX: number;
  declare shadowOffsetY: number;
  declare filter: string;
  declare font: string;
  declare textAlign: string;
  declare textBaseline: string;
  declare imageSmoothingEnabled: boolean;
  declare imageSmoothingQuality: string;
  readonly #tools: PortableTools;
  readonly #surface: MemorySurface;
  readonly #painter: Painter;
  readonly #path: PathRecorder;
  #state = FIRST_STATE;
  #kept: CanvasState[] = [];

  static {
    defineSettings(PortableContext.prototype, {
      stateOf: (context) => context.#state,
      change: (context, part) => {
        context.#change(part);
      },
    });
  }

  /** @throws RangeError where there is no memory for it */
  constructor(tools: PortableTools, width: number, height: number) {
    this.#tools = tools;
    this.#surface = new MemorySurface(tools.kit, width, height);
    this.#painter = new Painter(tools.kit, this.#surface);
    this.#path = new PathRecorder(tools.kit);
    this.canvas = Object.freeze({ width, height, getContext: (kind: string) => (kind === '2d' ? this : null) });
    SURFACES.set(this.canvas, this.#surface);
    this.#surface.canvas.save();
  }

  /** The memory behind a context, premultiplied; for the reader alone. */
  static pixelsOf(context: PortableContext): Uint8Array {
    return context.#surface.pixels();
  }

  /** A function that frees a context's memory without holding the context; works once. */
  static disposer(context: PortableContext): () => void {
    let surface: MemorySurface | undefined = context.#surface;
    return () => {
      surface?.dispose();
      surface = undefined;
    };
  }

  save(): void {
    this.#kept.push(this.#state);
    this.#surface.canvas.save();
  }

  restore(): void {
    const state = this.#kept.pop();
    if (state === undefined) return;
    this.#movePath(state.matrix);
    this.#state = state;
    this.#surface.canvas.restore();
  }

  reset(): void {
    while (this.#kept.length > 0) this.restore();
    this.#surface.canvas.restore();
    this.#surface.canvas.save();
    this.#state = FIRST_STATE;
    this.#path.clear();
    this.#surface.pixels().fill(0);
    this.#surface.touch();
  }

  isContextLost(): boolean {
    return false;
  }

  // Transforms

  getTransform(): Readonly<Record<'a' | 'b' | 'c' | 'd' | 'e' | 'f', number>> & {
    readonly is2D: boolean;
    readonly isIdentity: boolean;
  } {
    const [a, b, c, d, e, f] = this.#state.matrix;
    return Object.freeze({ a, b, c, d, e, f, is2D: true, isIdentity: isSame([a, b, c, d, e, f], IDENTITY) });
  }

  setTransform(a?: number | MatrixLike, b = 0, c = 0, d = 1, e = 0, f = 0): void {
    const matrix: Matrix =
      typeof a === 'object'
        ? [a.a ?? 1, a.b ?? 0, a.c ?? 0, a.d ?? 1, a.e ?? 0, a.f ?? 0]
        : [numberOf(a ?? 1), numberOf(b), numberOf(c), numberOf(d), numberOf(e), numberOf(f)];
    if (areFinite(matrix)) this.#setMatrix(matrix);
  }

  resetTransform(): void {
    this.#setMatrix(IDENTITY);
  }

  transform(a: number, b: number, c: number, d: number, e: number, f: number): void {
    if (areFinite([a, b, c, d, e, f]))
      this.#setMatrix(
        multiply(this.#state.matrix, [numberOf(a), numberOf(b), numberOf(c), numberOf(d), numberOf(e), numberOf(f)]),
      );
  }

  translate(x: number, y: number): void {
    this.transform(1, 0, 0, 1, x, y);
  }

  scale(x: number, y: number): void {
    this.transform(x, 0, 0, y, 0, 0);
  }

  rotate(angle: number): void {
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    this.transform(cos, sin, -sin, cos, 0, 0);
  }

  // Paths

  beginPath(): void {
    this.#path.clear();
  }

  moveTo(x: number, y: number): void {
    if (areFinite([x, y])) this.#path.moveTo(numberOf(x), numberOf(y));
  }

  lineTo(x: number, y: number): void {
    if (areFinite([x, y])) this.#path.lineTo(numberOf(x), numberOf(y));
  }

  quadraticCurveTo(cx: number, cy: number, x: number, y: number): void {
    if (areFinite([cx, cy, x, y])) this.#path.quadraticCurveTo(numberOf(cx), numberOf(cy), numberOf(x), numberOf(y));
  }

  bezierCurveTo(ax: number, ay: number, bx: number, by: number, x: number, y: number): void {
    if (areFinite([ax, ay, bx, by, x, y]))
      this.#path.bezierCurveTo(numberOf(ax), numberOf(ay), numberOf(bx), numberOf(by), numberOf(x), numberOf(y));
  }

  arc(x: number, y: number, radius: number, from: number, to: number, counterclockwise = false): void {
    this.ellipse(x, y, radius, radius, 0, from, to, counterclockwise);
  }

  ellipse(
    x: number,
    y: number,
    rx: number,
    ry: number,
    rotation: number,
    from: number,
    to: number,
    counterclockwise = false,
  ): void {
    const values = [x, y, rx, ry, rotation, from, to];
    if (!areFinite(values)) return;
    const [cx = 0, cy = 0, a = 0, b = 0, turn = 0, start = 0, end = 0] = values.map(numberOf);
    this.#path.ellipse(cx, cy, a, b, turn, start, end, counterclockwise);
  }

  arcTo(x1: number, y1: number, x2: number, y2: number, radius: number): void {
    if (areFinite([x1, y1, x2, y2, radius]))
      this.#path.arcTo(numberOf(x1), numberOf(y1), numberOf(x2), numberOf(y2), numberOf(radius));
  }

  rect(x: number, y: number, w: number, h: number): void {
    if (areFinite([x, y, w, h])) this.#path.rect(numberOf(x), numberOf(y), numberOf(w), numberOf(h));
  }

  roundRect(x: number, y: number, w: number, h: number, radii: number | readonly number[] = 0): void {
    const corners = (typeof radii === 'number' ? [radii] : [...radii]).map(numberOf);
    if (!areFinite([x, y, w, h, ...corners])) return;
    if (corners.length < 1 || corners.length > 4 || corners.some((radius) => radius < 0))
      throw new RangeError('roundRect takes one to four radii that are not negative');
    const [width, height] = [numberOf(w), numberOf(h)];
    const [left, top] = [numberOf(x) + Math.min(0, width), numberOf(y) + Math.min(0, height)];
    this.#path.roundRect(left, top, Math.abs(width), Math.abs(height), cornersOf(corners, width, height));
  }

  closePath(): void {
    this.#path.closePath();
  }

  fill(rule: Rule = 'nonzero'): void {
    this.#withPath(rule, (drawing) => {
      this.#painter.fill(this.#state, drawing);
    });
  }

  stroke(): void {
    if (!this.#path.hasExtent) return;
    this.#withPath('nonzero', (drawing) => {
      this.#painter.stroke(this.#state, drawing);
    });
  }

  clip(rule: Rule = 'nonzero'): void {
    const inverse = invert(this.#state.matrix);
    this.#path.transform(this.#state.matrix);
    const path = this.#path.toPath();
    if (rule === 'evenodd') path.setFillType(this.#tools.kit.FillType.EvenOdd);
    this.#surface.canvas.clipPath(path, this.#tools.kit.ClipOp.Intersect, true);
    path.delete();
    if (inverse === null) this.#path.clear();
    else this.#path.transform(inverse);
  }

  isPointInPath(x: number, y: number, rule: Rule = 'nonzero'): boolean {
    return this.#pathContains(x, y, rule, false);
  }

  isPointInStroke(x: number, y: number): boolean {
    return this.#pathContains(x, y, 'nonzero', true);
  }

  // Rectangles

  fillRect(x: number, y: number, w: number, h: number): void {
    if (!areFinite([x, y, w, h])) return;
    const [left, top, right, bottom] = [numberOf(x), numberOf(y), numberOf(x) + numberOf(w), numberOf(y) + numberOf(h)];
    this.#painter.fill(this.#state, {
      draw: (canvas, paint) => {
        canvas.drawRect4f(left, top, right, bottom, paint);
      },
      bounds: () => boundsOf([left, top, right, bottom]),
    });
  }

  strokeRect(x: number, y: number, w: number, h: number): void {
    if (!areFinite([x, y, w, h])) return;
    const path = new PathRecorder(this.#tools.kit);
    path.rect(numberOf(x), numberOf(y), numberOf(w), numberOf(h));
    if (!path.hasExtent) return;
    const made = path.toPath();
    this.#painter.stroke(this.#state, {
      draw: (canvas, paint) => {
        canvas.drawPath(made, paint);
      },
      bounds: () => path.bounds,
    });
    made.delete();
  }

  clearRect(x: number, y: number, w: number, h: number): void {
    if (areFinite([x, y, w, h]))
      this.#painter.clearRect(this.#state, numberOf(x), numberOf(y), numberOf(w), numberOf(h));
  }

  // Text

  fillText(text: string, x: number, y: number, maxWidth?: number): void {
    const draw = this.#layOut(text, x, y, maxWidth);
    if (draw !== null) this.#painter.fill(this.#state, { draw });
  }

  strokeText(text: string, x: number, y: number, maxWidth?: number): void {
    const draw = this.#layOut(text, x, y, maxWidth);
    if (draw !== null) this.#painter.stroke(this.#state, { draw });
  }

  measureText(text: string): TextMeasures {
    return measureLine(this.#tools.shaper, textOf(text), this.#state);
  }

  // Pictures

  drawImage(source: CanvasHandle | { readonly canvas: CanvasHandle }, ...at: number[]): void {
    const surface = surfaceOf(source);
    const values = at.map(numberOf);
    if (!areFinite(values)) return;
    const drawing = placeImage(this.#tools.kit, surface, this.#state, values);
    if (drawing !== null) this.#painter.image(this.#state, drawing);
  }

  createImageData(width: number | PortableImageData, height?: number): PortableImageData {
    if (typeof width === 'object') return new PortableImageData(width.width, width.height);
    return new PortableImageData(Math.abs(Math.trunc(width)), Math.abs(Math.trunc(height ?? 0)));
  }

  getImageData(x: number, y: number, width: number, height: number): PortableImageData {
    return readPixels(this.#surface, x, y, width, height);
  }

  putImageData(picture: PortableImageData, x: number, y: number, ...dirty: number[]): void {
    writePixels(this.#surface, picture, x, y, dirty);
  }

  createLinearGradient(x0: number, y0: number, x1: number, y1: number): PortableGradient {
    return new PortableGradient({ kind: 'linear', at: finiteAll([x0, y0, x1, y1]) });
  }

  createRadialGradient(x0: number, y0: number, r0: number, x1: number, y1: number, r1: number): PortableGradient {
    const at = finiteAll([x0, y0, r0, x1, y1, r1]);
    if (r0 < 0 || r1 < 0) throw new RangeError('a radius is not negative');
    return new PortableGradient({ kind: 'radial', at });
  }

  createConicGradient(angle: number, x: number, y: number): PortableGradient {
    return new PortableGradient({ kind: 'conic', at: finiteAll([x, y, angle]) });
  }

  createPattern(source: CanvasHandle | { readonly canvas: CanvasHandle }, repetition: string | null): PortablePattern {
    const kind = repetition === null || repetition === '' ? 'repeat' : repetition;
    if (!['repeat', 'repeat-x', 'repeat-y', 'no-repeat'].includes(kind))
      throw new SyntaxError('a pattern repeats in both directions, one or none');
    const image = surfaceOf(source).image().makeCopyWithDefaultMipmaps();
    return new PortablePattern(image, kind);
  }

  setLineDash(lengths: readonly number[]): void {
    const dash = Array.from(lengths, numberOf);
    if (!dash.every((length) => Number.isFinite(length) && length >= 0)) return;
    const twice = dash.length % 2 === 1 ? [...dash, ...dash] : dash;
    this.#change({ dash: twice.some((length) => length > 0) ? twice : [] });
  }

  getLineDash(): number[] {
    return [...this.#state.dash];
  }

  #change(part: Partial<CanvasState>): void {
    this.#state = { ...this.#state, ...part };
  }

  #setMatrix(matrix: Matrix): void {
    this.#movePath(matrix);
    this.#change({ matrix });
  }

  /** The recorded path stays at its place on the canvas when the transform changes. */
  #movePath(to: Matrix): void {
    const { matrix } = this.#state;
    if (this.#path.isEmpty || isSame(matrix, to)) return;
    const inverse = invert(to);
    if (inverse !== null) this.#path.transform(multiply(inverse, matrix));
  }

  #withPath(rule: Rule, act: (drawing: Drawing) => void): void {
    if (this.#path.isEmpty) return;
    const path = this.#path.toPath();
    if (rule === 'evenodd') path.setFillType(this.#tools.kit.FillType.EvenOdd);
    act({
      draw: (canvas, paint) => {
        canvas.drawPath(path, paint);
      },
      bounds: () => this.#path.bounds,
    });
    path.delete();
  }

  #pathContains(x: number, y: number, rule: Rule, inStroke: boolean): boolean {
    const inverse = invert(this.#state.matrix);
    if (!areFinite([x, y]) || inverse === null || this.#path.isEmpty) return false;
    const [, , , , px, py] = multiply(inverse, [1, 0, 0, 1, numberOf(x), numberOf(y)]);
    const path = this.#path.toPath();
    if (rule === 'evenodd') path.setFillType(this.#tools.kit.FillType.EvenOdd);
    const { lineWidth, miterLimit } = this.#state;
    const area = inStroke ? path.makeStroked({ width: lineWidth, miter_limit: miterLimit }) : path;
    const isInside = area?.contains(px, py) === true;
    if (area !== path) area?.delete();
    path.delete();
    return isInside;
  }

  #layOut(text: string, x: number, y: number, maxWidth?: number): ((canvas: Canvas, paint: Paint) => void) | null {
    if (!areFinite([x, y]) || (maxWidth !== undefined && !(maxWidth > 0))) return null;
    const line = { text: textOf(text), x: numberOf(x), y: numberOf(y), maxWidth };
    return layOutLine(this.#tools.shaper, line, this.#state);
  }
}

/** @throws TypeError for anything but a canvas of this page */
function surfaceOf(source: CanvasHandle | { readonly canvas: CanvasHandle }): MemorySurface {
  const surface = SURFACES.get(source) ?? ('canvas' in source ? SURFACES.get(source.canvas) : undefined);
  if (surface === undefined) throw new TypeError('only a canvas can be drawn');
  return surface;
}

function finiteAll(values: readonly number[]): number[] {
  if (!areFinite(values)) throw new TypeError('a gradient needs finite numbers');
  return values.map(numberOf);
}
