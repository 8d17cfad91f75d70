import type { Canvas, CanvasKit, Paint } from 'canvaskit-wasm';
import { isOpaque, premultiply, unpremultiply } from './alpha.js';
import { colorText, parseColor, type Rgba } from './color-syntax.js';
import { PortableGradient, PortablePattern, type Fill } from './fills.js';
import { parseFilter } from './filters.js';
import { parseFont } from './font-syntax.js';
import { PortableImageData } from './image-data.js';
import { areFinite, IDENTITY, invert, isSame, multiply, type Matrix } from './matrix.js';
import { MemorySurface } from './memory-surface.js';
import { isBlendMode, Painter } from './painter.js';
import { PathRecorder } from './path-recorder.js';
import { FIRST_STATE, type CanvasState } from './state.js';
import type { TextShaper } from './text-shaper.js';
import { numberOf, textOf } from './values.js';

/** What every canvas of a page shares. */
export interface PortableTools {
  readonly kit: CanvasKit;
  readonly shaper: TextShaper;
}

/** What sketches know a canvas by. */
export interface CanvasHandle {
  readonly width: number;
  readonly height: number;
}

type MatrixLike = Partial<Readonly<Record<'a' | 'b' | 'c' | 'd' | 'e' | 'f', number>>>;
type Rule = 'nonzero' | 'evenodd';

const SURFACES = new WeakMap<object, MemorySurface>();
const LINE_CAPS = ['butt', 'round', 'square'];
const LINE_JOINS = ['miter', 'round', 'bevel'];
const ALIGNMENTS = ['start', 'end', 'left', 'right', 'center'];
const BASELINES = ['top', 'hanging', 'middle', 'alphabetic', 'ideographic', 'bottom'];
const QUALITIES = ['low', 'medium', 'high'];

/**
 * The canvas's 2D context on Skia compiled to WebAssembly: the same picture on every machine. A sketch may hold it; what
 * draws is private to it. Text runs from left to right. There are no `Path2D`, images other than canvases, and focus.
 */
export class PortableContext {
  readonly canvas: CanvasHandle;
  readonly #tools: PortableTools;
  readonly #surface: MemorySurface;
  readonly #painter: Painter;
  readonly #path: PathRecorder;
  #state = FIRST_STATE;
  #kept: CanvasState[] = [];

  /** @throws RangeError where there is no memory for it */
  constructor(tools: PortableTools, width: number, height: number) {
    this.#tools = tools;
    this.#surface = new MemorySurface(tools.kit, width, height);
    this.#painter = new Painter(tools.kit, this.#surface);
    this.#path = new PathRecorder(tools.kit);
    this.canvas = Object.freeze({ width, height });
    SURFACES.set(this.canvas, this.#surface);
    this.#surface.canvas.save();
  }

  /** The memory behind a context, premultiplied; for the reader alone. */
  static pixelsOf(context: PortableContext): Uint8Array {
    return context.#surface.pixels();
  }

  /** What gives a context's memory back, without holding the context; works once. */
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
    const [left, top, width, height] = [Math.min(x, x + w), Math.min(y, y + h), Math.abs(w), Math.abs(h)];
    this.#path.roundRect(left, top, width, height, cornersOf(corners, width, height));
  }

  closePath(): void {
    this.#path.closePath();
  }

  fill(rule: Rule = 'nonzero'): void {
    this.#withPath(rule, (draw) => {
      this.#painter.fill(this.#state, draw);
    });
  }

  stroke(): void {
    this.#withPath('nonzero', (draw) => {
      this.#painter.stroke(this.#state, draw);
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
    this.#painter.fill(this.#state, (canvas, paint) => {
      canvas.drawRect4f(left, top, right, bottom, paint);
    });
  }

  strokeRect(x: number, y: number, w: number, h: number): void {
    if (!areFinite([x, y, w, h])) return;
    const path = new PathRecorder(this.#tools.kit);
    path.rect(numberOf(x), numberOf(y), numberOf(w), numberOf(h));
    const made = path.toPath();
    this.#painter.stroke(this.#state, (canvas, paint) => {
      canvas.drawPath(made, paint);
    });
    made.delete();
  }

  clearRect(x: number, y: number, w: number, h: number): void {
    if (areFinite([x, y, w, h]))
      this.#painter.clearRect(this.#state, numberOf(x), numberOf(y), numberOf(w), numberOf(h));
  }

  // Text

  fillText(text: string, x: number, y: number, maxWidth?: number): void {
    this.#drawText(text, x, y, maxWidth, (draw) => {
      this.#painter.fill(this.#state, draw);
    });
  }

  strokeText(text: string, x: number, y: number, maxWidth?: number): void {
    this.#drawText(text, x, y, maxWidth, (draw) => {
      this.#painter.stroke(this.#state, draw);
    });
  }

  measureText(
    text: string,
  ): Readonly<
    Record<
      'width' | 'actualBoundingBoxLeft' | 'actualBoundingBoxRight' | 'fontBoundingBoxAscent' | 'fontBoundingBoxDescent',
      number
    >
  > {
    const { width } = this.#tools.shaper.shape(textOf(text), this.#state.font);
    const { ascent, descent } = this.#tools.shaper.metrics(this.#state.font);
    const left = this.#alignmentShift(width);
    const baseline = this.#baselineShift();
    return Object.freeze({
      width,
      actualBoundingBoxLeft: left === 0 ? 0 : -left,
      actualBoundingBoxRight: width + left,
      fontBoundingBoxAscent: Math.round(ascent) - baseline,
      fontBoundingBoxDescent: Math.round(descent) + baseline,
    });
  }

  // Pictures

  drawImage(source: CanvasHandle | { readonly canvas: CanvasHandle }, ...at: number[]): void {
    const surface = surfaceOf(source);
    const { width: w, height: h } = surface;
    const values = at.map(numberOf);
    if (!areFinite(values)) return;
    const [sx = 0, sy = 0, sw = w, sh = h, dx = 0, dy = 0, dw = 0, dh = 0] =
      values.length >= 8 ? values : [0, 0, w, h, values[0] ?? 0, values[1] ?? 0, values[2] ?? w, values[3] ?? h];
    if (sw === 0 || sh === 0) return;
    const image = surface.image();
    const { kit } = this.#tools;
    const from = kit.LTRBRect(
      Math.min(sx, sx + sw),
      Math.min(sy, sy + sh),
      Math.max(sx, sx + sw),
      Math.max(sy, sy + sh),
    );
    const to = kit.LTRBRect(Math.min(dx, dx + dw), Math.min(dy, dy + dh), Math.max(dx, dx + dw), Math.max(dy, dy + dh));
    const { isSmoothing, smoothingQuality } = this.#state;
    this.#painter.image(this.#state, (canvas, paint) => {
      if (isSmoothing && smoothingQuality === 'high') canvas.drawImageRectCubic(image, from, to, 1 / 3, 1 / 3, paint);
      else {
        const filter = isSmoothing ? kit.FilterMode.Linear : kit.FilterMode.Nearest;
        const mips = isSmoothing && smoothingQuality === 'medium' ? kit.MipmapMode.Nearest : kit.MipmapMode.None;
        canvas.drawImageRectOptions(image, from, to, filter, mips, paint);
      }
    });
  }

  createImageData(width: number | PortableImageData, height?: number): PortableImageData {
    if (typeof width === 'object') return new PortableImageData(width.width, width.height);
    return new PortableImageData(Math.abs(Math.trunc(width)), Math.abs(Math.trunc(height ?? 0)));
  }

  getImageData(x: number, y: number, width: number, height: number): PortableImageData {
    const [w, h] = [Math.trunc(width), Math.trunc(height)];
    const picture = new PortableImageData(Math.abs(w), Math.abs(h));
    const [left, top] = [Math.trunc(x) + Math.min(0, w), Math.trunc(y) + Math.min(0, h)];
    const pixels = this.#surface.pixels();
    eachRow(this.#surface, left, top, picture.width, picture.height, (own, row, bytes) => {
      picture.data.set(pixels.subarray(own, own + bytes), row);
    });
    const bytes = new Uint8Array(picture.data.buffer);
    if (!isOpaque(bytes)) unpremultiply(bytes);
    return picture;
  }

  putImageData(picture: PortableImageData, x: number, y: number, ...dirty: number[]): void {
    const [dirtyX = 0, dirtyY = 0, dirtyWidth = picture.width, dirtyHeight = picture.height] = dirty.map(Math.trunc);
    const source = new Uint8Array(picture.data);
    if (!isOpaque(source)) premultiply(source);
    const [left, top] = [Math.max(0, dirtyX), Math.max(0, dirtyY)];
    const [right, bottom] = [
      Math.min(picture.width, dirtyX + dirtyWidth),
      Math.min(picture.height, dirtyY + dirtyHeight),
    ];
    const pixels = this.#surface.pixels();
    const [atX, atY] = [Math.trunc(x) + left, Math.trunc(y) + top];
    eachRow(this.#surface, atX, atY, right - left, bottom - top, (own, row, bytes) => {
      const line = Math.floor(row / ((right - left) * 4));
      const from = ((top + line) * picture.width + left) * 4 + (row - line * (right - left) * 4);
      pixels.set(source.subarray(from, from + bytes), own);
    });
    this.#surface.touch();
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

  // What the sketch sets; values that mean nothing are ignored, as the canvas does.

  get fillStyle(): unknown {
    return shownFill(this.#state.fill);
  }
  set fillStyle(value: unknown) {
    const fill = fillOf(value);
    if (fill !== undefined) this.#change({ fill });
  }
  get strokeStyle(): unknown {
    return shownFill(this.#state.stroke);
  }
  set strokeStyle(value: unknown) {
    const stroke = fillOf(value);
    if (stroke !== undefined) this.#change({ stroke });
  }
  get globalAlpha(): number {
    return this.#state.alpha;
  }
  set globalAlpha(value: number) {
    const alpha = numberOf(value);
    if (alpha >= 0 && alpha <= 1) this.#change({ alpha });
  }
  get globalCompositeOperation(): string {
    return this.#state.blend;
  }
  set globalCompositeOperation(blend: string) {
    if (isBlendMode(blend)) this.#change({ blend });
  }
  get lineWidth(): number {
    return this.#state.lineWidth;
  }
  set lineWidth(value: number) {
    const lineWidth = numberOf(value);
    if (lineWidth > 0 && lineWidth < Infinity) this.#change({ lineWidth });
  }
  get lineCap(): string {
    return this.#state.lineCap;
  }
  set lineCap(lineCap: string) {
    if (LINE_CAPS.includes(lineCap)) this.#change({ lineCap });
  }
  get lineJoin(): string {
    return this.#state.lineJoin;
  }
  set lineJoin(lineJoin: string) {
    if (LINE_JOINS.includes(lineJoin)) this.#change({ lineJoin });
  }
  get miterLimit(): number {
    return this.#state.miterLimit;
  }
  set miterLimit(value: number) {
    const miterLimit = numberOf(value);
    if (miterLimit > 0 && miterLimit < Infinity) this.#change({ miterLimit });
  }
  get lineDashOffset(): number {
    return this.#state.dashOffset;
  }
  set lineDashOffset(value: number) {
    if (Number.isFinite(numberOf(value))) this.#change({ dashOffset: numberOf(value) });
  }
  get shadowColor(): string {
    return colorText(this.#state.shadowColor);
  }
  set shadowColor(value: string) {
    const shadowColor = parseColor(textOf(value));
    if (shadowColor !== undefined) this.#change({ shadowColor });
  }
  get shadowBlur(): number {
    return this.#state.shadowBlur;
  }
  set shadowBlur(value: number) {
    const shadowBlur = numberOf(value);
    if (shadowBlur >= 0 && shadowBlur < Infinity) this.#change({ shadowBlur });
  }
  get shadowOffsetX(): number {
    return this.#state.shadowX;
  }
  set shadowOffsetX(value: number) {
    if (Number.isFinite(numberOf(value))) this.#change({ shadowX: numberOf(value) });
  }
  get shadowOffsetY(): number {
    return this.#state.shadowY;
  }
  set shadowOffsetY(value: number) {
    if (Number.isFinite(numberOf(value))) this.#change({ shadowY: numberOf(value) });
  }
  get filter(): string {
    return this.#state.filterText;
  }
  set filter(value: string) {
    const filter = parseFilter(textOf(value));
    if (filter !== undefined) this.#change({ filter, filterText: textOf(value) });
  }
  get font(): string {
    return this.#state.fontText;
  }
  set font(value: string) {
    if (value === this.#state.fontText) return;
    const font = parseFont(textOf(value));
    if (font !== undefined) this.#change({ font, fontText: textOf(value) });
  }
  get textAlign(): string {
    return this.#state.textAlign;
  }
  set textAlign(textAlign: string) {
    if (ALIGNMENTS.includes(textAlign)) this.#change({ textAlign });
  }
  get textBaseline(): string {
    return this.#state.textBaseline;
  }
  set textBaseline(textBaseline: string) {
    if (BASELINES.includes(textBaseline)) this.#change({ textBaseline });
  }
  get imageSmoothingEnabled(): boolean {
    return this.#state.isSmoothing;
  }
  set imageSmoothingEnabled(value: unknown) {
    this.#change({ isSmoothing: Boolean(value) });
  }
  get imageSmoothingQuality(): string {
    return this.#state.smoothingQuality;
  }
  set imageSmoothingQuality(smoothingQuality: string) {
    if (QUALITIES.includes(smoothingQuality)) this.#change({ smoothingQuality });
  }

  #change(part: Partial<CanvasState>): void {
    this.#state = { ...this.#state, ...part };
  }

  #setMatrix(matrix: Matrix): void {
    this.#movePath(matrix);
    this.#change({ matrix });
  }

  /** What is recorded stays where it is on the canvas when the transform changes. */
  #movePath(to: Matrix): void {
    const { matrix } = this.#state;
    if (this.#path.isEmpty || isSame(matrix, to)) return;
    const inverse = invert(to);
    if (inverse !== null) this.#path.transform(multiply(inverse, matrix));
  }

  #withPath(rule: Rule, act: (draw: (canvas: Canvas, paint: Paint) => void) => void): void {
    if (this.#path.isEmpty) return;
    const path = this.#path.toPath();
    if (rule === 'evenodd') path.setFillType(this.#tools.kit.FillType.EvenOdd);
    act((canvas, paint) => {
      canvas.drawPath(path, paint);
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

  #drawText(
    text: string,
    x: number,
    y: number,
    maxWidth: number | undefined,
    act: (draw: (canvas: Canvas, paint: Paint) => void) => void,
  ): void {
    if (!areFinite([x, y]) || (maxWidth !== undefined && !(maxWidth > 0))) return;
    const { shaper } = this.#tools;
    const shaped = shaper.shape(textOf(text), this.#state.font);
    const squeeze = maxWidth !== undefined && shaped.width > maxWidth ? maxWidth / shaped.width : 1;
    const left = numberOf(x) + this.#alignmentShift(shaped.width * squeeze);
    const baseline = numberOf(y) + this.#baselineShift();
    act((canvas, paint) => {
      if (squeeze === 1) {
        shaper.draw(canvas, shaped, left, baseline, paint);
        return;
      }
      canvas.save();
      canvas.translate(left, baseline);
      canvas.scale(squeeze, 1);
      shaper.draw(canvas, shaped, 0, 0, paint);
      canvas.restore();
    });
  }

  #alignmentShift(width: number): number {
    const { textAlign } = this.#state;
    if (textAlign === 'center') return -width / 2;
    return textAlign === 'right' || textAlign === 'end' ? -width : 0;
  }

  #baselineShift(): number {
    const { font, textBaseline } = this.#state;
    if (textBaseline === 'alphabetic') return 0;
    const { ascent, descent } = this.#tools.shaper.metrics(font);
    const whole = ascent + descent;
    const [emAscent, emDescent] = whole === 0 ? [0, 0] : [(font.size * ascent) / whole, (font.size * descent) / whole];
    switch (textBaseline) {
      case 'top':
        return emAscent;
      case 'hanging':
        return ascent * 0.8;
      case 'middle':
        return (emAscent - emDescent) / 2;
      case 'ideographic':
        return -descent;
      default:
        return -emDescent;
    }
  }
}

function fillOf(value: unknown): Rgba | Fill | undefined {
  if (value instanceof PortableGradient || value instanceof PortablePattern) return value;
  return parseColor(textOf(value));
}

function shownFill(fill: Rgba | Fill): unknown {
  return fill instanceof PortableGradient || fill instanceof PortablePattern ? fill : colorText(fill);
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

/** Radii that do not fit shrink together. */
function cornersOf(radii: readonly number[], width: number, height: number): (readonly [number, number])[] {
  const [a = 0, b = a, c = a, d = b] = radii;
  const share = (side: number, sum: number): number => (sum === 0 ? 1 : side / sum);
  const scale = Math.min(1, share(width, a + b), share(width, c + d), share(height, a + d), share(height, b + c));
  return [a, b, c, d].map((radius) => [radius * scale, radius * scale]);
}

/** Visits the part of each row of a picture that lies on the surface. @param act byte offsets, and how many bytes */
function eachRow(
  { width, height }: MemorySurface,
  x: number,
  y: number,
  w: number,
  h: number,
  act: (surfaceOffset: number, pictureOffset: number, bytes: number) => void,
): void {
  const [left, right] = [Math.max(0, x), Math.min(width, x + w)];
  if (left >= right) return;
  for (let row = Math.max(0, -y); row < h && y + row < height; row++)
    act(((y + row) * width + left) * 4, (row * w + left - x) * 4, (right - left) * 4);
}
