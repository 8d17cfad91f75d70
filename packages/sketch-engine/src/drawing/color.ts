import { formatColor } from './color-format.js';
import { word } from './constants.js';
import { refuse } from './violation.js';

type ColorModel = 'rgb' | 'hsb' | 'hsl';
type Triple = readonly [number, number, number];
type Quad = readonly [number, number, number, number];

/** How numbers become colours: the model, and the maximum of each channel in every model. */
export interface ColorMode {
  readonly model: ColorModel;
  readonly max: Readonly<Record<ColorModel, Quad>>;
}

export const DEFAULT_COLOR_MODE: ColorMode = {
  model: 'rgb',
  max: { rgb: [255, 255, 255, 255], hsb: [360, 100, 100, 1], hsl: [360, 100, 100, 1] },
};

/** A colour value as sketches hold it; written into text it is a CSS colour. Channels 0..255, alpha 0..1. */
export class Color {
  readonly mode: ColorMode;
  r: number;
  g: number;
  b: number;
  a: number;
  #hues: Partial<Record<'hsb' | 'hsl', Triple>>;

  /** @param hues what it was made of: black, white and greys do not show their hue */
  constructor(
    r: number,
    g: number,
    b: number,
    a: number,
    mode: ColorMode,
    hues: Partial<Record<'hsb' | 'hsl', Triple>> = {},
  ) {
    this.r = clampByte(r);
    this.g = clampByte(g);
    this.b = clampByte(b);
    this.a = Math.min(1, Math.max(0, a));
    this.mode = mode;
    this.#hues = hues;
  }

  /** Hue, saturation and brightness, each 0..1. */
  get hsb(): Triple {
    return this.#hues.hsb ?? toHsb(this);
  }
  /** Hue, saturation and lightness, each 0..1. */
  get hsl(): Triple {
    return this.#hues.hsl ?? toHsl(this);
  }
  get levels(): number[] {
    return [Math.round(this.r), Math.round(this.g), Math.round(this.b), Math.round(this.a * 255)];
  }

  /** Red, green, blue and alpha, each 0..1. */
  array(): number[] {
    return [this.r / 255, this.g / 255, this.b / 255, this.a];
  }

  /** The mix with another colour, in the model of this one's colour mode. */
  lerp(to: Color, amount: number): Color {
    return lerpColors(this, to, amount, this.mode);
  }

  /** @param format a format of p5.js, `#rrggbb` for one; without it CSS with alpha */
  toString(format?: unknown): string {
    return formatColor(this, format);
  }

  setRed(value: number): void {
    this.#hues = {};
    this.r = clampByte((value / this.mode.max.rgb[0]) * 255);
  }
  setGreen(value: number): void {
    this.#hues = {};
    this.g = clampByte((value / this.mode.max.rgb[1]) * 255);
  }
  setBlue(value: number): void {
    this.#hues = {};
    this.b = clampByte((value / this.mode.max.rgb[2]) * 255);
  }
  setAlpha(value: number): void {
    this.a = Math.min(1, Math.max(0, value / alphaMax(this.mode)));
  }
}

/** `colorMode(model, max?)` or `colorMode(model, max1, max2, max3, maxAlpha?)`; any other model ends the render. */
export function colorModeOf(args: readonly unknown[], current: ColorMode): ColorMode {
  const name = word(args[0]).toLowerCase();
  if (name !== 'hsb' && name !== 'hsl' && name !== 'rgb') refuse('colorMode: must be RGB, HSB or HSL');
  const model: ColorModel = name;
  const [m1, m2, m3, m4] = args.slice(1).map(Number);
  // A model keeps its maxima until they are given again.
  const kept = current.max[model];
  if (m1 === undefined) return { model, max: current.max };
  const max: Quad = m2 === undefined ? [m1, m1, m1, m1] : [m1, m2, m3 ?? kept[2], m4 ?? kept[3]];
  return { model, max: { ...current.max, [model]: max } };
}

function alphaMax({ model, max }: ColorMode): number {
  return max[model][3];
}

/** Reads CSS colours the browser's own way. */
export type CssColorReader = (text: string) => Quad | undefined;

/**
 * The colour that a call such as `fill(...)` names: a Color, a CSS text, an array, or 1 to 4 numbers in `mode`; values
 * without a number are 0, an undefined alpha is left out.
 * @throws TypeError for any other value, and for a text that is not a colour, `oklch()` for one
 */
export function colorOf(given: readonly unknown[], mode: ColorMode, readCss: CssColorReader): Color {
  const args = given.length % 2 === 0 && given.at(-1) === undefined ? given.slice(0, -1) : given;
  const [first] = args;
  // A second argument has no effect, as in p5.js.
  if (first instanceof Color) return first;
  if (Array.isArray(first)) return colorOf(first, mode, readCss);
  // As in p5.js, three texts may be numbers, one or two are not.
  if (typeof first === 'string' && (args.length < 3 || Number.isNaN(Number(first)))) {
    const found = readCss(first) ?? readHsb(first);
    if (found === undefined)
      throw new TypeError('a colour in text must be a name, hexadecimal, rgb(), hsl() or hsb() with all its parts');
    const [r, g, b, a] = found;
    return new Color(r, g, b, args.length > 1 ? Number(args[1]) / alphaMax(mode) : a, mode);
  }
  const isNothing = args.length < 2 && first === undefined;
  if (isNothing || typeof first === 'function' || (typeof first === 'object' && first !== null))
    throw new TypeError('a colour must be a color(), a text, or 1 to 4 numbers, also in an array');
  const numbers = args.map(Number);
  const [v1 = 0, v2 = 0, v3 = 0, v4] = numbers;
  const max = mode.max[mode.model];
  if (numbers.length <= 2) {
    // One number is a gray in every model, measured on the channel that carries lightness.
    const gray = (v1 / (mode.model === 'rgb' ? max[0] : max[2])) * 255;
    return new Color(gray, gray, gray, numbers.length === 2 ? v2 / max[3] : 1, mode);
  }
  const alpha = v4 === undefined ? 1 : v4 / max[3];
  return fromParts([v1 / max[0], v2 / max[1], v3 / max[2]], alpha, mode);
}

/** p5.js's own notation beside those of CSS: `hsb(160, 100%, 50%)`, `hsba(160, 100%, 50%, 0.5)`. */
function readHsb(text: string): Quad | undefined {
  const found = /^hsba?\( *([\d.]+) *, *([\d.]+)% *, *([\d.]+)% *(?:, *([\d.]+) *)?\)$/i.exec(text.trim());
  if (found === null) return undefined;
  const [, h, s, b, alpha = 1] = found;
  const [red, green, blue] = fromHsb(Number(h) / 360, Number(s) / 100, Number(b) / 100);
  return [red * 255, green * 255, blue * 255, Number(alpha)];
}

/** Mixes in the model of the current colour mode, hue along the shorter way, as p5.js does. */
export function lerpColors(from: Color, to: Color, amount: number, mode: ColorMode): Color {
  const at = Math.min(1, Math.max(0, amount));
  const mix = (a: number, b: number): number => a + (b - a) * at;
  const alpha = mix(from.a, to.a);
  if (mode.model === 'rgb') return new Color(mix(from.r, to.r), mix(from.g, to.g), mix(from.b, to.b), alpha, mode);
  const { model } = mode;
  const [h1, s1, l1] = from[model];
  const [h2, s2, l2] = to[model];
  const turn = Math.abs(h2 - h1) > 0.5 ? (h2 > h1 ? h2 - 1 : h2 + 1) : h2;
  return fromParts([((mix(h1, turn) % 1) + 1) % 1, mix(s1, s2), mix(l1, l2)], alpha, mode);
}

/** @param parts in the mode's model; what lies outside 0..1 is taken as 0 or 1, a hue as well */
function fromParts(parts: Triple, alpha: number, mode: ColorMode): Color {
  const [x, y, z] = parts.map((part) => Math.min(1, Math.max(0, part)));
  const inModel: Triple = [x ?? 0, y ?? 0, z ?? 0];
  const { model } = mode;
  const [r, g, b] = model === 'rgb' ? inModel : model === 'hsb' ? fromHsb(...inModel) : fromHsl(...inModel);
  return new Color(r * 255, g * 255, b * 255, alpha, mode, model === 'rgb' ? {} : { [model]: inModel });
}

/** One part of a colour, 0 to its maximum in the mode. */
export const COLOR_PARTS: Readonly<Record<string, (color: Color, mode: ColorMode) => number>> = {
  red: ({ r }, { max }) => (r / 255) * max.rgb[0],
  green: ({ g }, { max }) => (g / 255) * max.rgb[1],
  blue: ({ b }, { max }) => (b / 255) * max.rgb[2],
  alpha: ({ a }, mode) => a * alphaMax(mode),
  // As in p5.js these are of HSL, but for a colour that was made in HSB.
  hue: (color, { max }) => color.hsb[0] * max[color.mode.model === 'hsb' ? 'hsb' : 'hsl'][0],
  saturation: (color, { max }) => (color.mode.model === 'hsb' ? color.hsb[1] * max.hsb[1] : color.hsl[1] * max.hsl[1]),
  brightness: (color, { max }) => color.hsb[2] * max.hsb[2],
  lightness: (color, { max }) => color.hsl[2] * max.hsl[2],
};

function toHsb({ r, g, b }: Color): Triple {
  const max = Math.max(r, g, b);
  const span = max - Math.min(r, g, b);
  return [hueOf(r, g, b), max === 0 ? 0 : span / max, max / 255];
}

function toHsl({ r, g, b }: Color): Triple {
  const [max, min] = [Math.max(r, g, b) / 255, Math.min(r, g, b) / 255];
  const lightness = (max + min) / 2;
  const span = max - min;
  const saturation = span === 0 ? 0 : span / (1 - Math.abs(2 * lightness - 1));
  return [hueOf(r, g, b), saturation, lightness];
}

function hueOf(r: number, g: number, b: number): number {
  const max = Math.max(r, g, b);
  const span = max - Math.min(r, g, b);
  if (span === 0) return 0;
  if (max === r) return ((g - b) / span / 6 + 1) % 1;
  return max === g ? ((b - r) / span + 2) / 6 : ((r - g) / span + 4) / 6;
}

function fromHsb(h: number, s: number, v: number): Triple {
  const channel = (n: number): number => {
    const k = (n + h * 6) % 6;
    return v - v * s * Math.max(0, Math.min(k, 4 - k, 1));
  };
  return [channel(5), channel(3), channel(1)];
}

function fromHsl(h: number, s: number, l: number): Triple {
  const reach = s * Math.min(l, 1 - l);
  const channel = (n: number): number => {
    const k = (n + h * 12) % 12;
    return l - reach * Math.max(-1, Math.min(k - 3, 9 - k, 1));
  };
  return [channel(0), channel(8), channel(4)];
}

/** NaN stays NaN: a canvas ignores such a colour and keeps the last one, as in p5.js 1. */
function clampByte(value: number): number {
  return Math.min(255, Math.max(0, value));
}
