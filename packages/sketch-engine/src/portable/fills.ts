import type { CanvasKit, Image, Shader } from 'canvaskit-wasm';
import { colorText, parseColor, type Rgba } from './color-syntax.js';
import { areFinite, IDENTITY, rowsOf, type Matrix } from './matrix.js';
import { numberOf, textOf } from './values.js';

/** A fill or stroke other than a plain colour; sketches hold it, Skia's part stays private. */
export type Fill = PortableGradient | PortablePattern;

type Shape =
  | { readonly kind: 'linear'; readonly at: readonly number[] }
  | { readonly kind: 'radial'; readonly at: readonly number[] }
  | { readonly kind: 'conic'; readonly at: readonly number[] };

interface Stop {
  readonly offset: number;
  readonly color: Rgba;
}

export class PortableGradient {
  readonly #shape: Shape;
  readonly #stops: Stop[] = [];

  constructor(shape: Shape) {
    this.#shape = shape;
  }

  addColorStop(offset: number, text: string): void {
    const at = numberOf(offset);
    if (!(at >= 0 && at <= 1)) throw new RangeError('a colour stop lies between 0 and 1');
    const color = parseColor(textOf(text));
    if (color === undefined) throw new SyntaxError('a colour stop needs a colour');
    const before = this.#stops.findIndex((stop) => stop.offset > at);
    this.#stops.splice(before === -1 ? this.#stops.length : before, 0, { offset: at, color });
  }

  /** @returns null where it paints nothing */
  static shaderOf(kit: CanvasKit, gradient: PortableGradient): Shader | null {
    const stops = gradient.#stops;
    if (stops.length === 0) return null;
    const colors = stops.map(({ color: [r, g, b, a] }) => kit.Color4f(r / 255, g / 255, b / 255, a));
    const offsets = stops.map(({ offset }) => offset);
    const [x0 = 0, y0 = 0, a = 0, b = 0, c = 0, d = 0] = gradient.#shape.at;
    const { Clamp } = kit.TileMode;
    switch (gradient.#shape.kind) {
      case 'linear':
        if (x0 === a && y0 === b) return null;
        return kit.Shader.MakeLinearGradient([x0, y0], [a, b], colors, offsets, Clamp);
      case 'radial':
        if (x0 === b && y0 === c && a === d) return null;
        return kit.Shader.MakeTwoPointConicalGradient([x0, y0], a, [b, c], d, colors, offsets, Clamp);
      case 'conic': {
        const [cos, sin] = [Math.cos(a), Math.sin(a)];
        const turned: Matrix = [cos, sin, -sin, cos, x0 - x0 * cos + y0 * sin, y0 - x0 * sin - y0 * cos];
        return kit.Shader.MakeSweepGradient(x0, y0, colors, offsets, Clamp, rowsOf(turned));
      }
    }
  }
}

export class PortablePattern {
  readonly #image: Image;
  readonly #repetition: string;
  #matrix: Matrix = IDENTITY;

  constructor(image: Image, repetition: string) {
    this.#image = image;
    this.#repetition = repetition;
  }

  setTransform(matrix: Partial<Readonly<Record<'a' | 'b' | 'c' | 'd' | 'e' | 'f', number>>> = {}): void {
    const { a = 1, b = 0, c = 0, d = 1, e = 0, f = 0 } = matrix;
    if (areFinite([a, b, c, d, e, f])) this.#matrix = [a, b, c, d, e, f];
  }

  static shaderOf(kit: CanvasKit, pattern: PortablePattern, smooth: boolean): Shader {
    const { Decal, Repeat } = kit.TileMode;
    const repetition = pattern.#repetition;
    return pattern.#image.makeShaderOptions(
      repetition === 'repeat' || repetition === 'repeat-x' ? Repeat : Decal,
      repetition === 'repeat' || repetition === 'repeat-y' ? Repeat : Decal,
      smooth ? kit.FilterMode.Linear : kit.FilterMode.Nearest,
      kit.MipmapMode.None,
      rowsOf(pattern.#matrix),
    );
  }
}

/** A fill as a sketch sets it; undefined where it means nothing. */
export function fillOf(value: unknown): Rgba | Fill | undefined {
  if (value instanceof PortableGradient || value instanceof PortablePattern) return value;
  return parseColor(textOf(value));
}

/** A fill as a sketch reads it. */
export function shownFill(fill: Rgba | Fill): unknown {
  return fill instanceof PortableGradient || fill instanceof PortablePattern ? fill : colorText(fill);
}
