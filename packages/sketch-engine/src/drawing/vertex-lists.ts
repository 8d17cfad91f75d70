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

/** The vertices of one shape of a list, and the distance to the first vertex of the next. */
const LISTS: ReadonlyMap<string, { readonly order: readonly number[]; readonly step: number }> = new Map([
  ['lines', { order: [0, 1], step: 2 }],
  ['triangles', { order: [0, 1, 2], step: 3 }],
  ['triangle_strip', { order: [0, 1, 2], step: 1 }],
  ['quads', { order: [0, 1, 2, 3], step: 4 }],
  ['quad_strip', { order: [0, 1, 3, 2], step: 2 }],
]);

/** Draws lists of simple shapes, each in the colours of its last vertex, as p5.js 1 does. @returns false for another kind */
export function drawList(pen: Pen, kind: string, vertices: readonly ListVertex[]): boolean {
  const { ctx } = pen;
  const shape = (corners: readonly (ListVertex | undefined)[], last: ListVertex | undefined): void => {
    inColorsOf(pen, last, () => {
      beginPath(pen);
      const [first, ...others] = corners;
      if (first !== undefined) ctx.moveTo(first.x, first.y);
      for (const corner of others) if (corner !== undefined) ctx.lineTo(corner.x, corner.y);
      if (corners.length > 2) ctx.closePath();
      paint(pen);
    });
  };
  const list = LISTS.get(kind);
  if (kind === 'points') {
    for (const vertex of vertices)
      inColorsOf(pen, vertex, () => {
        dot(pen, vertex.x, vertex.y);
      });
  } else if (kind === 'triangle_fan') {
    for (let i = 1; i + 1 < vertices.length; i++) shape([vertices[0], vertices[i], vertices[i + 1]], vertices[i + 1]);
  } else if (list === undefined) return false;
  else {
    const { order, step } = list;
    for (let i = 0; i + order.length <= vertices.length; i += step)
      shape(
        order.map((at) => vertices[i + at]),
        vertices[i + order.length - 1],
      );
  }
  return true;
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
