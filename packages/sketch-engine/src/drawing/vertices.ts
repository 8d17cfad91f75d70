import { modeOrNone } from './modes.js';
import { traceSpline } from './splines.js';
import { beginPath, paint, type Pen, type SketchFunctions } from './style.js';
import { closed, drawList, type ListVertex } from './vertex-lists.js';
import { refuse } from './violation.js';

type Vertex = ListVertex &
  (
    | { readonly kind: 'corner' | 'curve' | 'spline' }
    | { readonly kind: 'bezier'; readonly controls: readonly number[] }
  );
/** A vertex without the colours of its time. */
type Uncoloured<V> = V extends Vertex ? Omit<V, 'fill' | 'stroke'> : never;

/** Shapes of `beginShape`. */
const KINDS = [
  ...['path', 'points', 'lines', 'line_strip', 'line_loop', 'triangles', 'triangle_fan', 'triangle_strip'],
  ...['quads', 'quad_strip', 'tess'],
];

/** `beginShape` to `endShape`: free outlines with holes, and lists of simple shapes. */
export function vertexFunctions(pen: Pen): SketchFunctions {
  let kind = 'path';
  let outlines: Vertex[][] = [[]];
  let order = 3;
  let controls: number[] = [];
  const add = (vertex: Uncoloured<Vertex>): void => {
    const { fill, stroke } = pen.style;
    outlines.at(-1)?.push({ ...vertex, fill, stroke });
  };
  const addCurve = (points: readonly number[], degree: number): void => {
    const [x = NaN, y = NaN] = points.slice(2 * degree - 2);
    add({ kind: 'bezier', controls: points.slice(0, 2 * degree - 2), x, y });
  };
  return {
    beginShape(shape?: unknown) {
      const chosen = modeOrNone(shape, KINDS, `beginShape: must be ${KINDS.join(', ').toUpperCase()}`) ?? 'path';
      // In 2D p5.js draws it as a path.
      kind = chosen === 'tess' ? 'path' : chosen;
      outlines = [[]];
      controls = [];
    },
    vertex(x: number, y: number) {
      add({ kind: 'corner', x, y });
    },
    curveVertex(x: number, y: number) {
      add({ kind: 'curve', x, y });
    },
    splineVertex(x: number, y: number) {
      add({ kind: 'spline', x, y });
    },
    bezierOrder(degree?: number) {
      if (degree === undefined) return order;
      if (degree !== 2 && degree !== 3) refuse('bezierOrder: must be 2 or 3');
      order = degree;
      return undefined;
    },
    // With all its points at once, or one point a call as in p5.js 2.
    bezierVertex(...points: number[]) {
      const [x = 0, y = 0] = points;
      if (points.length >= 6) addCurve(points, 3);
      else if (outlines.at(-1)?.length === 0) add({ kind: 'corner', x, y });
      else {
        controls.push(x, y);
        if (controls.length < 2 * order) return;
        addCurve(controls, order);
        controls = [];
      }
    },
    quadraticVertex(...points: number[]) {
      addCurve(points, 2);
    },
    beginContour() {
      controls = [];
      outlines.push([]);
    },
    endContour() {
      // It ends the last outline; `endShape` closes them all.
    },
    endShape(mode?: unknown) {
      const close = modeOrNone(mode, ['close', 'open'], 'endShape: must be CLOSE or left out') === 'close';
      if (kind === 'path') drawOutlines(pen, outlines, close);
      else if (!drawList(pen, kind, outlines.flat(), close))
        drawOutlines(pen, [outlines.flat()], close || kind === 'line_loop');
      outlines = [[]];
    },
  };
}

function drawOutlines(pen: Pen, outlines: readonly (readonly Vertex[])[], close: boolean): void {
  const { ctx } = pen;
  beginPath(pen);
  outlines.forEach((outline, index) => {
    trace(pen, outline, close || index > 0);
    // Holes are always closed, and as in p5.js 1 they close the outline around them.
    if (close || outlines.length > 1) ctx.closePath();
  });
  paint(pen);
}

function trace({ ctx, style }: Pen, vertices: readonly Vertex[], isClosed: boolean): void {
  let started = false;
  const moveTo = (x: number, y: number): void => {
    if (started) ctx.lineTo(x, y);
    else ctx.moveTo(x, y);
    started = true;
  };
  const target = { moveTo, curveTo: ctx.bezierCurveTo.bind(ctx) };
  if (vertices.some(({ kind }) => kind === 'curve')) {
    // They make all vertices one curve, as in p5.js 1.
    traceSpline(target, isClosed ? closed(vertices) : vertices, 'exclude', style.curveTightness);
    const [first] = vertices;
    if (isClosed && first !== undefined) moveTo(first.x, first.y);
    return;
  }
  for (let i = 0; i < vertices.length; i++) {
    const vertex = vertices[i];
    if (vertex?.kind === 'corner') moveTo(vertex.x, vertex.y);
    else if (vertex?.kind === 'bezier') {
      const [x2 = 0, y2 = 0, x3 = 0, y3 = 0] = vertex.controls;
      const { x, y } = vertex;
      // A curve needs a point to start from; without one its end is that point.
      if (i === 0) moveTo(x, y);
      else if (vertex.controls.length === 2) ctx.quadraticCurveTo(x2, y2, x, y);
      else ctx.bezierCurveTo(x2, y2, x3, y3, x, y);
    } else if (vertex !== undefined) {
      // The spline vertices in a row are one curve; the vertex before them is its first point.
      let end = i;
      while (vertices[end]?.kind === 'spline') end += 1;
      const isAll = i === 0 && end === vertices.length;
      const ends = isClosed && isAll ? 'join' : style.splineEnds;
      traceSpline(target, vertices.slice(i > 0 ? i - 1 : i, end), ends, style.curveTightness);
      i = end - 1;
    }
  }
}
