import { paint, type Pen, type SketchFunctions } from './style.js';

type Four = readonly [number, number, number, number];

/** Bezier and Catmull-Rom curves between given points. */
export function curveFunctions(pen: Pen): SketchFunctions {
  const { ctx } = pen;
  return {
    bezier(x1: number, y1: number, x2: number, y2: number, x3: number, y3: number, x4: number, y4: number) {
      ctx.beginPath();
      ctx.moveTo(x1, y1);
      ctx.bezierCurveTo(x2, y2, x3, y3, x4, y4);
      paint(pen);
    },
    curve(x1: number, y1: number, x2: number, y2: number, x3: number, y3: number, x4: number, y4: number) {
      const [cx1, cx2] = splineControls([x1, x2, x3, x4], pen.style.curveTightness);
      const [cy1, cy2] = splineControls([y1, y2, y3, y4], pen.style.curveTightness);
      ctx.beginPath();
      ctx.moveTo(x2, y2);
      ctx.bezierCurveTo(cx1, cy1, cx2, cy2, x3, y3);
      paint(pen);
    },
    curveTightness(curveTightness: number) {
      pen.style = { ...pen.style, curveTightness };
    },
    bezierPoint: (a: number, b: number, c: number, d: number, t: number) => bezierAt([a, b, c, d], t),
    bezierTangent: (a: number, b: number, c: number, d: number, t: number) => bezierSlope([a, b, c, d], t),
    curvePoint: (a: number, b: number, c: number, d: number, t: number) => {
      const [p, q] = splineControls([a, b, c, d], pen.style.curveTightness);
      return bezierAt([b, p, q, c], t);
    },
    curveTangent: (a: number, b: number, c: number, d: number, t: number) => {
      const [p, q] = splineControls([a, b, c, d], pen.style.curveTightness);
      return bezierSlope([b, p, q, c], t);
    },
  };
}

/** The two inner Bezier points of the Catmull-Rom segment from the second to the third value. */
export function splineControls([a, b, c, d]: Four, tightness: number): readonly [number, number] {
  const pull = (1 - tightness) / 6;
  return [b + (c - a) * pull, c - (d - b) * pull];
}

function bezierAt([a, b, c, d]: Four, t: number): number {
  const u = 1 - t;
  return u * u * u * a + 3 * u * u * t * b + 3 * u * t * t * c + t * t * t * d;
}

function bezierSlope([a, b, c, d]: Four, t: number): number {
  const u = 1 - t;
  return 3 * u * u * (b - a) + 6 * u * t * (c - b) + 3 * t * t * (d - c);
}
