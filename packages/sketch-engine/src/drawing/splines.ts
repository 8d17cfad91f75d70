type Four = readonly [number, number, number, number];

interface Point {
  readonly x: number;
  readonly y: number;
}

/** The path methods of a context. */
interface SplineTarget {
  /** Begins the path, or continues it by a line. */
  moveTo(x: number, y: number): void;
  curveTo(x1: number, y1: number, x2: number, y2: number, x: number, y: number): void;
}

/**
 * Draws a Catmull-Rom curve through points.
 * @param ends `include`: through all of them; `exclude`: the first and the last only direct the curve; `join`: back to
 *   the first
 */
export function traceSpline(target: SplineTarget, points: readonly Point[], ends: string, tightness: number): void {
  const [first] = points;
  const last = points.at(-1);
  if (first === undefined || last === undefined) return;
  const [second = first] = points.slice(1);
  const guided =
    ends === 'join' ? [last, ...points, first, second] : ends === 'exclude' ? points : [first, ...points, last];
  for (let i = 0; i + 3 < guided.length; i++) {
    const [a, b, c, d] = guided.slice(i, i + 4);
    if (a === undefined || b === undefined || c === undefined || d === undefined) return;
    if (i === 0) target.moveTo(b.x, b.y);
    const [cx1, cx2] = splineControls([a.x, b.x, c.x, d.x], tightness);
    const [cy1, cy2] = splineControls([a.y, b.y, c.y, d.y], tightness);
    target.curveTo(cx1, cy1, cx2, cy2, c.x, c.y);
  }
}

/** The two inner Bezier points of the Catmull-Rom segment from the second to the third value. */
export function splineControls([a, b, c, d]: Four, tightness: number): readonly [number, number] {
  const pull = (1 - tightness) / 6;
  return [b + (c - a) * pull, c - (d - b) * pull];
}
