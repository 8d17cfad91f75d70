import type { CanvasKit, Path } from 'canvaskit-wasm';
import { boundsOf, type Bounds } from './bounds.js';
import { multiply, type Matrix } from './matrix.js';

const QUARTER = Math.PI / 2;
const TURN = Math.PI * 2;

/** The current path of a canvas, in the coordinates that hold when it is drawn; given to Skia in one call. */
export class PathRecorder {
  readonly #kit: CanvasKit;
  #verbs: number[] = [];
  #points: number[] = [];
  #weights: number[] = [];
  #start: readonly [number, number] | undefined;
  #isOpen = false;

  constructor(kit: CanvasKit) {
    this.#kit = kit;
  }

  get isEmpty(): boolean {
    return this.#verbs.length === 0;
  }

  /** Whether it reaches from one point to another, in the precision that Skia keeps; a move at the end reaches nowhere. */
  get hasExtent(): boolean {
    const points = this.#points;
    const isMoveLast = this.#verbs.at(-1) === this.#kit.MOVE_VERB;
    const end = isMoveLast ? points.length - 2 : points.length;
    for (let i = 2; i < end; i++) if (Math.fround(points[i] ?? 0) !== Math.fround(points[i % 2] ?? 0)) return true;
    return false;
  }

  /** Left, top, right and bottom of all points, those that curves bend towards included. */
  get bounds(): Bounds {
    return boundsOf(this.#points);
  }

  clear(): void {
    this.#verbs = [];
    this.#points = [];
    this.#weights = [];
    this.#start = undefined;
    this.#isOpen = false;
  }

  moveTo(x: number, y: number): void {
    this.#verbs.push(this.#kit.MOVE_VERB);
    this.#points.push(x, y);
    this.#start = [x, y];
    this.#isOpen = true;
  }

  lineTo(x: number, y: number): void {
    if (!this.#begin(x, y)) return;
    this.#verbs.push(this.#kit.LINE_VERB);
    this.#points.push(x, y);
  }

  quadraticCurveTo(cx: number, cy: number, x: number, y: number): void {
    this.#begin(cx, cy);
    this.#verbs.push(this.#kit.QUAD_VERB);
    this.#points.push(cx, cy, x, y);
  }

  bezierCurveTo(ax: number, ay: number, bx: number, by: number, x: number, y: number): void {
    this.#begin(ax, ay);
    this.#verbs.push(this.#kit.CUBIC_VERB);
    this.#points.push(ax, ay, bx, by, x, y);
  }

  closePath(): void {
    if (!this.#isOpen) return;
    this.#verbs.push(this.#kit.CLOSE_VERB);
    this.#isOpen = false;
  }

  rect(x: number, y: number, w: number, h: number): void {
    this.moveTo(x, y);
    this.lineTo(x + w, y);
    this.lineTo(x + w, y + h);
    this.lineTo(x, y + h);
    this.closePath();
    this.#start = [x, y];
  }

  /** Arcs are conics of at most a quarter turn. @throws RangeError for a negative radius, as the canvas does */
  ellipse(
    cx: number,
    cy: number,
    rx: number,
    ry: number,
    rotation: number,
    from: number,
    to: number,
    counterclockwise: boolean,
  ): void {
    if (rx < 0 || ry < 0) throw new RangeError('a radius is not negative');
    const [cos, sin] = [Math.cos(rotation), Math.sin(rotation)];
    const at = (x: number, y: number): readonly [number, number] => [
      cx + rx * x * cos - ry * y * sin,
      cy + rx * x * sin + ry * y * cos,
    ];
    const sweep = sweepOf(from, to, counterclockwise);
    const [startX, startY] = at(Math.cos(from), Math.sin(from));
    if (this.#verbs.length === 0) this.moveTo(startX, startY);
    else this.lineTo(startX, startY);
    const pieces = Math.ceil(Math.abs(sweep) / QUARTER - 1e-9);
    const step = sweep / pieces;
    const weight = Math.cos(step / 2);
    for (let i = 0; i < pieces; i++) {
      const [middle, end] = [from + step * (i + 0.5), from + step * (i + 1)];
      const isWhole = i === pieces - 1 && Math.abs(sweep) === TURN;
      const [controlX, controlY] = at(Math.cos(middle) / weight, Math.sin(middle) / weight);
      const [x, y] = isWhole ? [startX, startY] : at(Math.cos(end), Math.sin(end));
      this.#conicTo(controlX, controlY, x, y, weight);
    }
  }

  arcTo(x1: number, y1: number, x2: number, y2: number, radius: number): void {
    if (radius < 0) throw new RangeError('a radius is not negative');
    if (!this.#begin(x1, y1)) return;
    const [x0, y0] = [this.#points.at(-2) ?? x1, this.#points.at(-1) ?? y1];
    const [ux, uy, vx, vy] = [x0 - x1, y0 - y1, x2 - x1, y2 - y1];
    const [u, v] = [Math.sqrt(ux * ux + uy * uy), Math.sqrt(vx * vx + vy * vy)];
    const cross = ux * vy - uy * vx;
    if (radius === 0 || u === 0 || v === 0 || cross === 0) {
      this.lineTo(x1, y1);
      return;
    }
    const cosine = (ux * vx + uy * vy) / (u * v);
    const reach = radius * Math.sqrt((1 + cosine) / (1 - cosine));
    this.lineTo(x1 + (ux / u) * reach, y1 + (uy / u) * reach);
    // The angle at the corner and the arc's sweep complement each other, so half of one gives the weight.
    this.#conicTo(x1, y1, x1 + (vx / v) * reach, y1 + (vy / v) * reach, Math.sqrt((1 - cosine) / 2));
  }

  /** One radius per corner, from the top left clockwise; already limited to the sides. */
  roundRect(x: number, y: number, w: number, h: number, radii: readonly (readonly [number, number])[]): void {
    const [[ax, ay] = [0, 0], [bx, by] = [0, 0], [cx, cy] = [0, 0], [dx, dy] = [0, 0]] = radii;
    const corner = Math.SQRT1_2;
    this.moveTo(x + ax, y);
    this.lineTo(x + w - bx, y);
    this.#conicTo(x + w, y, x + w, y + by, corner);
    this.lineTo(x + w, y + h - cy);
    this.#conicTo(x + w, y + h, x + w - cx, y + h, corner);
    this.lineTo(x + dx, y + h);
    this.#conicTo(x, y + h, x, y + h - dy, corner);
    this.lineTo(x, y + ay);
    this.#conicTo(x, y, x + ax, y, corner);
    this.closePath();
    this.#start = [x, y];
  }

  /** Moves what is recorded into other coordinates. */
  transform(matrix: Matrix): void {
    const points = this.#points;
    for (let i = 0; i < points.length; i += 2) {
      const [, , , , x, y] = multiply(matrix, [1, 0, 0, 1, points[i] ?? 0, points[i + 1] ?? 0]);
      points[i] = x;
      points[i + 1] = y;
    }
    if (this.#start === undefined) return;
    const [, , , , x, y] = multiply(matrix, [1, 0, 0, 1, ...this.#start]);
    this.#start = [x, y];
  }

  /** The caller deletes it. */
  toPath(): Path {
    return this.#kit.Path.MakeFromVerbsPointsWeights(this.#verbs, this.#points, this.#weights);
  }

  #conicTo(cx: number, cy: number, x: number, y: number, weight: number): void {
    this.#verbs.push(this.#kit.CONIC_VERB);
    this.#points.push(cx, cy, x, y);
    this.#weights.push(weight);
  }

  /** A segment needs a point to start from: after `closePath` the contour's own, at first the given one. */
  #begin(x: number, y: number): boolean {
    if (this.#isOpen) return true;
    const [startX, startY] = this.#start ?? [x, y];
    this.moveTo(startX, startY);
    return this.#verbs.length > 1;
  }
}

function sweepOf(from: number, to: number, counterclockwise: boolean): number {
  const span = to - from;
  if (!counterclockwise && span >= TURN) return TURN;
  if (counterclockwise && span <= -TURN) return -TURN;
  const positive = span - TURN * Math.floor(span / TURN);
  return !counterclockwise ? positive : positive === 0 ? 0 : positive - TURN;
}
