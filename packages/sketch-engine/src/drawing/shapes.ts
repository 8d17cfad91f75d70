import { modeOrNone } from './modes.js';
import { isPoint, type Coordinate, type Point } from './points.js';
import { beginPath, paint, strokeOf, type Pen, type SketchFunctions } from './style.js';

const TURN = Math.PI * 2;
/** Angles closer to each other than this are the same. */
const SAME_ANGLE = 0.00001;

type Corners = readonly (number | undefined)[];

/** The simple shapes, with p5.js's modes and overloads. */
export function shapeFunctions(pen: Pen): SketchFunctions {
  const { ctx } = pen;
  const draw = (trace: () => void): void => {
    beginPath(pen);
    trace();
    paint(pen);
  };

  const rect = (x: number, y: number, w: number, h: number, corners: Corners): void => {
    const { rectMode } = pen.style;
    // Of a corner, negative sizes place the corners from the other side, as in p5.js.
    const [left, top, width, height] = rectMode === 'corner' ? [x, y, w, h] : box(rectMode, x, y, w, h);
    draw(() => {
      const radii = cornerRadii(corners, width, height);
      if (radii === undefined) ctx.rect(left, top, width, height);
      else ctx.roundRect(left, top, width, height, radii);
    });
  };

  const ellipse = (x: number, y: number, w: number, h = w): void => {
    draw(() => {
      traceEllipse(pen, ellipseIn(pen.style.ellipseMode, x, y, w, h), 0, TURN);
    });
  };

  const polyline = (points: readonly number[]): void => {
    draw(() => {
      ctx.moveTo(points[0] ?? 0, points[1] ?? 0);
      for (let i = 2; i + 1 < points.length; i += 2) ctx.lineTo(points[i] ?? 0, points[i + 1] ?? 0);
      ctx.closePath();
    });
  };

  const ring = (cx: number, cy: number, count: number, rotation: number, radiusOf: (index: number) => number): void => {
    const turn = pen.radiansOf(rotation) - Math.PI / 2;
    const points: number[] = [];
    for (let i = 0; i < count; i++) {
      const angle = turn + (i / count) * Math.PI * 2;
      points.push(cx + Math.cos(angle) * radiusOf(i), cy + Math.sin(angle) * radiusOf(i));
    }
    polyline(points);
  };

  return {
    // A height that is left out is the width, and nothing is drawn where it is undefined, as in p5.js.
    rect: (x: number, y: number, w: number, ...others: number[]) => {
      rect(x, y, w, others.length === 0 ? w : Number(others[0]), others.slice(1));
    },
    square: (x: number, y: number, size: number, ...corners: number[]) => {
      rect(x, y, size, size, corners);
    },
    ellipse,
    circle: (x: number, y: number, diameter: number) => {
      ellipse(x, y, diameter, diameter);
    },
    triangle: (...points: number[]) => {
      polyline(points.slice(0, 6));
    },
    quad: (...points: number[]) => {
      polyline(points.slice(0, 8));
    },
    line: (x1: number, y1: number, x2: number, y2: number) => {
      if (pen.style.stroke === undefined) return;
      beginPath(pen);
      ctx.moveTo(x1, y1);
      ctx.lineTo(x2, y2);
      if (!pen.isClipping) ctx.stroke();
    },
    point: (x: Coordinate | Point, y?: Coordinate) => {
      if (isPoint(x)) dot(pen, x.x, x.y);
      else dot(pen, Number(x), Number(y));
    },
    arc: (x: number, y: number, w: number, h: number, start: number, stop: number, mode?: unknown) => {
      arc(pen, ellipseIn(pen.style.ellipseMode, x, y, w, h), start, stop, mode);
    },
    polygon: (cx: number, cy: number, radius: number, sides: number, rotation = 0) => {
      ring(cx, cy, sides, rotation, () => radius);
    },
    star: (cx: number, cy: number, inner: number, outer: number, points: number, rotation = 0) => {
      ring(cx, cy, points * 2, rotation, (index) => (index % 2 === 0 ? outer : inner));
    },
  };
}

/** A point is a disc as wide as the stroke, in the stroke's colour. */
export function dot({ ctx, style, isClipping }: Pen, x: number, y: number): void {
  if (style.stroke === undefined) return;
  if (isClipping) {
    // In p5.js it is this short a line, whose edge a clip may show.
    ctx.moveTo(x, y);
    ctx.lineTo(x + 0.00001, y);
    return;
  }
  ctx.save();
  ctx.fillStyle = strokeOf(style);
  ctx.beginPath();
  ctx.arc(x, y, ctx.lineWidth / 2, 0, Math.PI * 2);
  ctx.fill();
  ctx.restore();
}

interface Ellipse {
  readonly cx: number;
  readonly cy: number;
  readonly rx: number;
  readonly ry: number;
}

/** What `ellipseMode` means by four numbers. */
function ellipseIn(mode: string, a: number, b: number, c: number, d: number): Ellipse {
  const [left, top, width, height] = box(mode, a, b, c, d);
  return { cx: left + width / 2, cy: top + height / 2, rx: width / 2, ry: height / 2 };
}

function traceEllipse({ ctx, isClipping }: Pen, { cx, cy, rx, ry }: Ellipse, from: number, to: number): void {
  // No line leads to it from the shape before.
  if (isClipping) ctx.moveTo(cx + rx * Math.cos(from), cy + ry * Math.sin(from));
  ctx.ellipse(cx, cy, rx, ry, 0, from, to);
}

/** Without a mode the arc is filled as a pie and stroked open, as in p5.js. */
function arc(pen: Pen, ellipse: Ellipse, start: number, stop: number, mode: unknown): void {
  const { ctx, style, isClipping } = pen;
  const { cx, cy, rx, ry } = ellipse;
  const [from, to] = arcAngles(pen.radiansOf(start), pen.radiansOf(stop), rx, ry);
  // Ends that meet are no ends: p5.js draws the ellipse.
  const asked = modeOrNone(mode, ['open', 'chord', 'pie'], 'arc: the mode must be OPEN, CHORD or PIE');
  const kind = to - from === TURN ? 'open' : asked;
  const trace = (close: 'center' | 'chord' | 'open'): void => {
    beginPath(pen);
    traceEllipse(pen, ellipse, from, to);
    if (close === 'center') ctx.lineTo(cx, cy);
    if (close !== 'open') ctx.closePath();
  };
  if (isClipping) {
    // In p5.js every arc clips by its chord.
    trace('chord');
    return;
  }
  if (style.fill !== undefined) {
    trace(kind === 'chord' || kind === 'open' ? 'chord' : 'center');
    ctx.fill();
  }
  if (style.stroke !== undefined) {
    trace(kind === 'pie' ? 'center' : kind === 'chord' ? 'chord' : 'open');
    ctx.stroke();
  }
}

/** Angles as seen from the centre, turned into the ellipse's own parameter; ends that meet are a whole turn. */
function arcAngles(start: number, stop: number, rx: number, ry: number): readonly [number, number] {
  const normal = (angle: number): number => angle - TURN * Math.floor(angle / TURN);
  const between = Math.abs(normal(start) - normal(stop));
  if (start !== stop && Math.min(between, TURN - between) < SAME_ANGLE) return [0, TURN];
  const onEllipse = (angle: number): number => {
    if (rx === ry || rx === 0 || ry === 0) return angle;
    const quadrants = Math.floor((angle + Math.PI / 2) / Math.PI) * Math.PI;
    return Math.atan((rx / ry) * Math.tan(angle - quadrants)) + quadrants;
  };
  const from = onEllipse(normal(start));
  const to = onEllipse(normal(stop));
  return [from, to < from ? to + TURN : to];
}

/**
 * Left, top, width and height of what `rectMode`, `ellipseMode` or `imageMode` means by four numbers; a negative size is a
 * positive one, as in p5.js.
 */
export function box(
  mode: string,
  a: number,
  b: number,
  c: number,
  d: number,
): readonly [number, number, number, number] {
  const [w, h] = [Math.abs(c), Math.abs(d)];
  switch (mode) {
    case 'corners':
      return [Math.min(a, c), Math.min(b, d), Math.abs(c - a), Math.abs(d - b)];
    case 'center':
      return [a - w / 2, b - h / 2, w, h];
    case 'radius':
      return [a - w, b - h, w * 2, h * 2];
    default:
      return [a, b, w, h];
  }
}

/** One radius serves all corners; of several, a missing one takes the one before. */
function cornerRadii(corners: Corners, width: number, height: number): number[] | undefined {
  const [first] = corners;
  if (first === undefined) return undefined;
  const most = Math.min(Math.abs(width), Math.abs(height)) / 2;
  let last = first;
  return [0, 1, 2, 3].map((index) => {
    last = corners[index] ?? last;
    return Math.min(Math.max(0, last), most);
  });
}
