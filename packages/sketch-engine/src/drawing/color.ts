import { word } from './constants.js';

type ColorModel = 'rgb' | 'hsb' | 'hsl';
type Quad = readonly [number, number, number, number];

/** How numbers become colours: the model, and the maximum of each channel. */
export interface ColorMode {
  readonly model: ColorModel;
  readonly max: Quad;
}

export const DEFAULT_COLOR_MODE: ColorMode = { model: 'rgb', max: [255, 255, 255, 255] };
const DEFAULT_MAX: Readonly<Record<ColorModel, Quad>> = {
  rgb: [255, 255, 255, 255],
  hsb: [360, 100, 100, 1],
  hsl: [360, 100, 100, 1],
};

/** A colour value as sketches hold it; written into text it is a CSS colour. Channels 0..255, alpha 0..1. */
export class Color {
  readonly mode: ColorMode;
  r: number;
  g: number;
  b: number;
  a: number;

  constructor(r: number, g: number, b: number, a: number, mode: ColorMode) {
    this.r = clampByte(r);
    this.g = clampByte(g);
    this.b = clampByte(b);
    this.a = Math.min(1, Math.max(0, a));
    this.mode = mode;
  }

  get levels(): number[] {
    return [Math.round(this.r), Math.round(this.g), Math.round(this.b), Math.round(this.a * 255)];
  }

  /** Red, green, blue and alpha, each 0..1. */
  array(): number[] {
    return [this.r / 255, this.g / 255, this.b / 255, this.a];
  }

  toString(): string {
    return `rgba(${Math.round(this.r)}, ${Math.round(this.g)}, ${Math.round(this.b)}, ${this.a})`;
  }

  setRed(value: number): void {
    this.r = clampByte((value / this.mode.max[0]) * 255);
  }
  setGreen(value: number): void {
    this.g = clampByte((value / this.mode.max[1]) * 255);
  }
  setBlue(value: number): void {
    this.b = clampByte((value / this.mode.max[2]) * 255);
  }
  setAlpha(value: number): void {
    this.a = Math.min(1, Math.max(0, value / this.mode.max[3]));
  }
}

/** `colorMode(model, max?)` or `colorMode(model, max1, max2, max3, maxAlpha?)`. */
export function colorModeOf(args: readonly unknown[], current: ColorMode): ColorMode {
  const name = word(args[0]).toLowerCase();
  const model: ColorModel = name === 'hsb' || name === 'hsl' || name === 'rgb' ? name : current.model;
  const [m1, m2, m3, m4] = args.slice(1).map(Number);
  const byDefault = DEFAULT_MAX[model];
  if (m1 === undefined) return { model, max: byDefault };
  if (m2 === undefined) return { model, max: [m1, m1, m1, m1] };
  return { model, max: [m1, m2, m3 ?? byDefault[2], m4 ?? byDefault[3]] };
}

/** Reads CSS colours the browser's own way. */
export type CssColorReader = (text: string) => Quad | undefined;

/**
 * The colour that a call such as `fill(...)` names: a Color, a CSS text, an array, or 1 to 4 numbers in `mode`.
 * Anything else is black, as in p5.js.
 */
export function colorOf(args: readonly unknown[], mode: ColorMode, readCss: CssColorReader): Color {
  const [first] = args;
  if (first instanceof Color) {
    return args.length > 1 ? new Color(first.r, first.g, first.b, Number(args[1]) / mode.max[3], mode) : first;
  }
  if (Array.isArray(first)) return colorOf(first, mode, readCss);
  if (typeof first === 'string') {
    const [r, g, b, a] = readCss(first) ?? [0, 0, 0, 1];
    return new Color(r, g, b, args.length > 1 ? Number(args[1]) / mode.max[3] : a, mode);
  }
  const numbers = args.map(Number);
  const [v1 = 0, v2 = 0, v3 = 0, v4] = numbers;
  const { max } = mode;
  if (numbers.length <= 2) {
    // One number is a gray in every model, measured on the channel that carries lightness.
    const gray = (v1 / (mode.model === 'rgb' ? max[0] : max[2])) * 255;
    return new Color(gray, gray, gray, numbers.length === 2 ? v2 / max[3] : 1, mode);
  }
  const alpha = v4 === undefined ? 1 : v4 / max[3];
  const [x, y, z] = [v1 / max[0], v2 / max[1], v3 / max[2]];
  const [r, g, b] = mode.model === 'rgb' ? [x, y, z] : mode.model === 'hsb' ? fromHsb(x, y, z) : fromHsl(x, y, z);
  return new Color(r * 255, g * 255, b * 255, alpha, mode);
}

/** Mixes in the model of the current colour mode, hue along the shorter way, as p5.js does. */
export function lerpColors(from: Color, to: Color, amount: number, mode: ColorMode): Color {
  const at = Math.min(1, Math.max(0, amount));
  const mix = (a: number, b: number): number => a + (b - a) * at;
  const alpha = mix(from.a, to.a);
  if (mode.model === 'rgb') return new Color(mix(from.r, to.r), mix(from.g, to.g), mix(from.b, to.b), alpha, mode);
  const [toModel, fromModel] = mode.model === 'hsb' ? [toHsb, fromHsb] : [toHsl, fromHsl];
  const [h1, s1, l1] = toModel(from);
  const [h2, s2, l2] = toModel(to);
  const turn = Math.abs(h2 - h1) > 0.5 ? (h2 > h1 ? h2 - 1 : h2 + 1) : h2;
  const [r, g, b] = fromModel(((mix(h1, turn) % 1) + 1) % 1, mix(s1, s2), mix(l1, l2));
  return new Color(r * 255, g * 255, b * 255, alpha, mode);
}

/** Hue, saturation and brightness, each 0..1. */
export function toHsb({ r, g, b }: Color): readonly [number, number, number] {
  const max = Math.max(r, g, b);
  const span = max - Math.min(r, g, b);
  return [hueOf(r, g, b), max === 0 ? 0 : span / max, max / 255];
}

/** Hue, saturation and lightness, each 0..1. */
export function toHsl({ r, g, b }: Color): readonly [number, number, number] {
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

function fromHsb(h: number, s: number, v: number): readonly [number, number, number] {
  const channel = (n: number): number => {
    const k = (n + h * 6) % 6;
    return v - v * s * Math.max(0, Math.min(k, 4 - k, 1));
  };
  return [channel(5), channel(3), channel(1)];
}

function fromHsl(h: number, s: number, l: number): readonly [number, number, number] {
  const reach = s * Math.min(l, 1 - l);
  const channel = (n: number): number => {
    const k = (n + h * 12) % 12;
    return l - reach * Math.max(-1, Math.min(k - 3, 9 - k, 1));
  };
  return [channel(0), channel(8), channel(4)];
}

function clampByte(value: number): number {
  return Number.isNaN(value) ? 0 : Math.min(255, Math.max(0, value));
}
