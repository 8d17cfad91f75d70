import { word } from './constants.js';
import { splineControls } from './curves.js';
import { dot } from './shapes.js';
import { paint, type Pen, type SketchFunctions } from './style.js';

type Vertex =
  | { readonly kind: 'corner' | 'curve'; readonly x: number; readonly y: number }
  | { readonly kind: 'bezier'; readonly controls: readonly number[]; readonly x: number; readonly y: number };

/** `beginShape` to `endShape`: free outlines with holes, and lists of simple shapes. */
export function vertexFunctions(pen: Pen): SketchFunctions {
  let kind = 'outline';
  let outlines: Vertex[][] = [[]];
  const add = (vertex: Vertex): void => {
    outlines.at(-1)?.push(vertex);
  };
  return {
    beginShape(shape?: unknown) {
      kind = shape === undefined ? 'outline' : word(shape).toLowerCase();
      outlines = [[]];
    },
    vertex(x: number, y: number) {
      add({ kind: 'corner', x, y });
    },
    curveVertex(x: number, y: number) {
      add({ kind: 'curve', x, y });
    },
    bezierVertex(x2: number, y2: number, x3: number, y3: number, x4: number, y4: number) {
      add({ kind: 'bezier', controls: [x2, y2, x3, y3], x: x4, y: y4 });
    },
    quadraticVertex(cx: number, cy: number, x: number, y: number) {
      const last = outlines.at(-1)?.at(-1) ?? { x: cx, y: cy };
      const third = (end: number, control: number): number => end + (2 / 3) * (control - end);
      const controls = [third(last.x, cx), third(last.y, cy), third(x, cx), third(y, cy)];
      add({ kind: 'bezier', controls, x, y });
    },
    beginContour() {
      outlines.push([]);
    },
    endContour() {
      // The outline it ends is whatever was begun last; `endShape` closes them all.
    },
    endShape(mode?: unknown) {
      const close = mode !== undefined && word(mode).toLowerCase() === 'close';
      if (kind === 'outline') drawOutlines(pen, outlines, close);
      else drawList(pen, kind, outlines.flat(), close);
      outlines = [[]];
    },
  };
}

function drawOutlines(pen: Pen, outlines: readonly (readonly Vertex[])[], close: boolean): void {
  const { ctx } = pen;
  ctx.beginPath();
  outlines.forEach((outline, index) => {
    trace(pen, outline);
    // Holes are always closed.
    if (close || index > 0) ctx.closePath();
  });
  paint(pen);
}

function trace({ ctx, style }: Pen, vertices: readonly Vertex[]): void {
  let begun = false;
  const moveTo = (x: number, y: number): void => {
    if (begun) ctx.lineTo(x, y);
    else ctx.moveTo(x, y);
    begun = true;
  };
  for (let i = 0; i < vertices.length; i++) {
    const vertex = vertices[i];
    if (vertex?.kind === 'corner') moveTo(vertex.x, vertex.y);
    else if (vertex?.kind === 'bezier') {
      const [x2 = 0, y2 = 0, x3 = 0, y3 = 0] = vertex.controls;
      // A curve needs a point to start from; without one its end is that point.
      if (i === 0) moveTo(vertex.x, vertex.y);
      else ctx.bezierCurveTo(x2, y2, x3, y3, vertex.x, vertex.y);
    } else if (vertex !== undefined) {
      const [a, b, c, d] = vertices.slice(i, i + 4);
      if (a === undefined || b === undefined || c === undefined || d?.kind !== 'curve') continue;
      moveTo(b.x, b.y);
      const [cx1, cx2] = splineControls([a.x, b.x, c.x, d.x], style.curveTightness);
      const [cy1, cy2] = splineControls([a.y, b.y, c.y, d.y], style.curveTightness);
      ctx.bezierCurveTo(cx1, cy1, cx2, cy2, c.x, c.y);
    }
  }
}

/** How many vertices one shape of a list has, and how far apart the next begins. */
const LISTS: ReadonlyMap<string, { readonly order: readonly number[]; readonly step: number }> = new Map([
  ['lines', { order: [0, 1], step: 2 }],
  ['triangles', { order: [0, 1, 2], step: 3 }],
  ['triangle_strip', { order: [0, 1, 2], step: 1 }],
  ['quads', { order: [0, 1, 2, 3], step: 4 }],
  ['quad_strip', { order: [0, 1, 3, 2], step: 2 }],
]);

function drawList(pen: Pen, kind: string, vertices: readonly Vertex[], close: boolean): void {
  const { ctx } = pen;
  const shape = (corners: readonly (Vertex | undefined)[]): void => {
    ctx.beginPath();
    for (const corner of corners) if (corner !== undefined) ctx.lineTo(corner.x, corner.y);
    if (corners.length > 2) ctx.closePath();
    paint(pen);
  };
  const list = LISTS.get(kind);
  if (kind === 'points') for (const { x, y } of vertices) dot(pen, x, y);
  else if (kind === 'triangle_fan') {
    for (let i = 1; i + 1 < vertices.length; i++) shape([vertices[0], vertices[i], vertices[i + 1]]);
  } else if (list === undefined) drawOutlines(pen, [vertices], close || kind === 'line_loop');
  else {
    for (let i = 0; i + list.order.length <= vertices.length; i += list.step)
      shape(list.order.map((at) => vertices[i + at]));
  }
}
