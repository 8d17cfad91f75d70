import { modeOf } from './modes.js';
import { splineControls, traceSpline } from './splines.js';
import { beginPath, paint, type Pen, type SketchFunctions } from './style.js';

type Four = readonly [number, number, number, number];

/** Bezier and Catmull-Rom curves; p5.js 2 calls the latter splines. */
export function curveFunctions(pen: Pen): SketchFunctions {
  const { ctx } = pen;
  const splineWith =
    (endsOf: () => string) =>
    (...at: number[]): void => {
      const [x1 = NaN, y1 = NaN, x2 = NaN, y2 = NaN, x3 = NaN, y3 = NaN, x4 = NaN, y4 = NaN] = at;
      const points = [
        { x: x1, y: y1 },
        { x: x2, y: y2 },
        { x: x3, y: y3 },
        { x: x4, y: y4 },
      ];
      const target = { moveTo: ctx.moveTo.bind(ctx), curveTo: ctx.bezierCurveTo.bind(ctx) };
      beginPath(pen);
      traceSpline(target, points, endsOf(), pen.style.curveTightness);
      paint(pen);
    };
  const curve = splineWith(() => 'exclude');
  const splinePoint = (a: number, b: number, c: number, d: number, t: number): number => {
    const [p, q] = splineControls([a, b, c, d], pen.style.curveTightness);
    return bezierAt([b, p, q, c], t);
  };
  const splineTangent = (a: number, b: number, c: number, d: number, t: number): number => {
    const [p, q] = splineControls([a, b, c, d], pen.style.curveTightness);
    return bezierSlope([b, p, q, c], t);
  };
  const properties = (): Readonly<Record<string, unknown>> => ({
    ends: pen.style.splineEnds,
    tightness: pen.style.curveTightness,
  });
  const splineProperty = (name: string, value?: unknown): unknown => {
    const known = modeOf(name, ['ends', 'tightness'], 'splineProperty: must be ends or tightness');
    if (value === undefined) return properties()[known];
    if (known === 'tightness') pen.style = { ...pen.style, curveTightness: Number(value) };
    else {
      const rule = 'splineProperty: ends must be INCLUDE, EXCLUDE or JOIN';
      pen.style = { ...pen.style, splineEnds: modeOf(value, ['include', 'exclude', 'join'], rule) };
    }
    return undefined;
  };
  return {
    bezier(x1: number, y1: number, x2: number, y2: number, x3: number, y3: number, x4: number, y4: number) {
      beginPath(pen);
      ctx.moveTo(x1, y1);
      ctx.bezierCurveTo(x2, y2, x3, y3, x4, y4);
      paint(pen);
    },
    // Without a stroke it is nothing, not even filled, as in p5.js 1.
    curve: (...at: number[]) => {
      if (pen.style.stroke !== undefined) curve(...at);
    },
    spline: splineWith(() => pen.style.splineEnds),
    curveTightness(curveTightness: number) {
      pen.style = { ...pen.style, curveTightness };
    },
    bezierPoint: (a: number, b: number, c: number, d: number, t: number) => bezierAt([a, b, c, d], t),
    bezierTangent: (a: number, b: number, c: number, d: number, t: number) => bezierSlope([a, b, c, d], t),
    curvePoint: splinePoint,
    curveTangent: splineTangent,
    splinePoint,
    splineTangent,
    splineProperty,
    splineProperties(values?: Readonly<Record<string, unknown>>) {
      if (values === undefined) return properties();
      for (const [name, value] of Object.entries(values)) splineProperty(name, value);
      return undefined;
    },
  };
}

function bezierAt([a, b, c, d]: Four, t: number): number {
  const u = 1 - t;
  return u * u * u * a + 3 * u * u * t * b + 3 * u * t * t * c + t * t * t * d;
}

function bezierSlope([a, b, c, d]: Four, t: number): number {
  const u = 1 - t;
  return 3 * u * u * (b - a) + 6 * u * t * (c - b) + 3 * t * t * (d - c);
}
