export type Point = Readonly<Record<'x' | 'y', number>>;

/** A number, or the text of one, as canvases take it. */
export type Coordinate = number | string;

export function isPoint(value: unknown): value is Point {
  return typeof value === 'object' && value !== null;
}
