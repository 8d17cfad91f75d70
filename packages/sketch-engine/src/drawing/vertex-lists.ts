import type { Color } from './color.js';
import { dot } from './shapes.js';
import { beginPath, fillOf, paint, strokeOf, type Pen } from './style.js';

/** A point of a list of shapes, with the colours of the style when it was added. */
export interface ListVertex {
  readonly x: number;
  readonly y: number;
  readonly fill: Color | undefined;
  readonly stroke: Color | undefined;
}

interface List {
  /** The vertices of one shape, from its first one in the list. */
  readonly order: readonly number[];
  /** Distance to the first vertex of the next shape. */
  readonly step: number;
  /** The next shape draws the edge that this one leaves open, and a line ends the list. */
  readonly isStrip?: true;
  /** Unless it is closed, its outline returns to the first corner, and has the caps of a line there. */
  readonly returns?: true;
}

const LISTS: ReadonlyMap<string, List> = new Map<string, List>([
  ['lines', { order: [0, 1], step: 2 }],
  ['triangles', { order: [0, 1, 2], step: 3 }],
  ['triangle_strip', { order: [1, 0, 2], step: 1, isStrip: true }],
  ['quads', { order: [0, 1, 2, 3], step: 4, returns: true }],
  ['quad_strip', { order: [2, 0, 1, 3], step: 2, isStrip: true }],
]);

/**
 * Draws lists of simple shapes, each in the colours of its last vertex, as p5.js 1 does.
 * @param close whether each shape of a strip and each quad is closed; strips and fans then end at their first vertex,
 *   twice
 * @returns false for another kind
 */
export function drawList(pen: Pen, kind: string, vertices: readonly ListVertex[], close: boolean): boolean {
  const { ctx } = pen;
  const trace = (corners: readonly (ListVertex | undefined)[]): void => {
    const [first, ...others] = corners;
    if (first !== undefined) ctx.moveTo(first.x, first.y);
    for (const corner of others) if (corner !== undefined) ctx.lineTo(corner.x, corner.y);
  };
  const shape = (corners: readonly (ListVertex | undefined)[], last: ListVertex | undefined, isOpen: boolean): void => {
    inColorsOf(pen, last, () => {
      beginPath(pen);
      trace(corners);
      if (!isOpen) ctx.closePath();
      paint(pen);
    });
  };
  const list = LISTS.get(kind);
  if (kind === 'points') {
    for (const vertex of vertices)
      inColorsOf(pen, vertex, () => {
        dot(pen, vertex.x, vertex.y);
      });
  } else if (kind === 'triangle_fan') drawFan(pen, close ? closed(vertices) : vertices, trace);
  else if (list === undefined) return false;
  else {
    const { order, step, isStrip = false, returns = false } = list;
    const isOpen = order.length === 2 || ((isStrip || returns) && !close);
    const path = returns && isOpen ? [...order, ...order.slice(0, 1)] : order;
    const all = isStrip && close ? closed(vertices) : vertices;
    const whole = all.length - order.length;
    for (let i = 0; i <= whole; i += step)
      shape(
        path.map((at) => all[i + at]),
        all[i + order.length - 1],
        isOpen,
      );
    // Two vertices of triangles are a line.
    if (isStrip && whole >= (kind === 'triangle_strip' ? -1 : 0)) shape(all.slice(-2), all.at(-1), isOpen);
  }
  return true;
}

/** The vertices that p5.js 1 draws for `endShape(CLOSE)`. */
export function closed<V>(vertices: readonly V[]): readonly V[] {
  const first = vertices.slice(0, 1);
  return [...vertices, ...first, ...first];
}

/** The triangles of one colour in a row are one path. */
function drawFan(
  pen: Pen,
  vertices: readonly ListVertex[],
  trace: (corners: readonly (ListVertex | undefined)[]) => void,
): void {
  const [centre] = vertices;
  let triangles: (ListVertex | undefined)[][] = [];
  for (let i = 2; i < vertices.length; i++) {
    const [own, next] = vertices.slice(i, i + 2);
    triangles.push([centre, vertices[i - 1], own, centre]);
    if (next !== undefined && own?.fill === next.fill && own?.stroke === next.stroke) continue;
    inColorsOf(pen, own, () => {
      beginPath(pen);
      triangles.forEach(trace);
      paint(pen);
    });
    triangles = [];
  }
}

/** A style without fill or stroke stays without. */
function inColorsOf(pen: Pen, vertex: ListVertex | undefined, draw: () => void): void {
  const { ctx, style } = pen;
  const fill = style.fill && (vertex?.fill ?? style.fill);
  const stroke = style.stroke && (vertex?.stroke ?? style.stroke);
  // Where the sketch set `fillStyle` of its context, the colours are not different, and it stays.
  if (fill === style.fill && stroke === style.stroke) {
    draw();
    return;
  }
  const [fillBefore, strokeBefore] = [ctx.fillStyle, ctx.strokeStyle];
  pen.style = { ...style, fill, stroke };
  if (fill !== undefined) ctx.fillStyle = fillOf(pen.style);
  if (stroke !== undefined) ctx.strokeStyle = strokeOf(pen.style);
  draw();
  pen.style = style;
  ctx.fillStyle = fillBefore;
  ctx.strokeStyle = strokeBefore;
}
