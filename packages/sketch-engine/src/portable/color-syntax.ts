import { COLOR_NAMES } from './color-names.js';

/** Red, green and blue 0..255, alpha 0..1. */
export type Rgba = readonly [r: number, g: number, b: number, a: number];

const HEX = /^#([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/;
const FUNCTION = /^(rgba?|hsla?)\(([^()]*)\)$/;
const NUMBER = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)(%|deg|grad|rad|turn)?$/;
const TURNS: Readonly<Record<string, number>> = { deg: 1 / 360, grad: 1 / 400, rad: 1 / (2 * Math.PI), turn: 1 };

/**
 * Reads a CSS colour: names, hexadecimal, `rgb()` and `hsl()` in both notations.
 * @returns undefined for anything else, `lab()` and `color()` included
 */
export function parseColor(text: string): Rgba | undefined {
  const css = text.trim().toLowerCase();
  const named = COLOR_NAMES.get(css);
  if (named !== undefined) return fromHex(named);
  if (css === 'transparent') return [0, 0, 0, 0];
  if (css === 'currentcolor') return [0, 0, 0, 1];
  const hex = HEX.exec(css)?.[1];
  if (hex !== undefined) return fromHex(hex);
  const [, name, inner] = FUNCTION.exec(css) ?? [];
  if (name === undefined || inner === undefined) return undefined;
  const parts = partsOf(inner);
  if (parts === undefined) return undefined;
  const [first = '', second = '', third = '', fourth = '1'] = parts;
  const alpha = scaled(fourth, 1);
  if (alpha === undefined) return undefined;
  return name.startsWith('rgb') ? fromRgb([first, second, third], alpha) : fromHsl(first, second, third, alpha);
}

/** As the canvas writes a colour back. */
export function colorText([r, g, b, a]: Rgba): string {
  if (a < 1) return `rgba(${r}, ${g}, ${b}, ${a})`;
  return `#${[r, g, b].map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

function fromHex(digits: string): Rgba {
  const long = digits.length < 6 ? digits.replace(/./g, '$&$&') : digits;
  const byte = (at: number): number => Number.parseInt(long.slice(at, at + 2) || 'ff', 16);
  return [byte(0), byte(2), byte(4), byte(6) / 255];
}

/** `a, b, c, d` or `a b c / d`. */
function partsOf(inner: string): string[] | undefined {
  const text = inner.trim();
  const parts = text.includes(',')
    ? text.split(',').map((part) => part.trim())
    : text.split(/\s*\/\s*/).flatMap((part, index) => (index === 0 ? part.trim().split(/\s+/) : [part.trim()]));
  return parts.length === 3 || parts.length === 4 ? parts : undefined;
}

/** A number, or a percentage of `whole`; `none` is 0. */
function scaled(text: string, whole: number): number | undefined {
  if (text === 'none') return 0;
  const [, digits, unit] = NUMBER.exec(text) ?? [];
  if (digits === undefined || (unit !== undefined && unit !== '%')) return undefined;
  const value = unit === '%' ? (Number(digits) / 100) * whole : Number(digits);
  return Math.min(whole, Math.max(0, value));
}

function fromRgb(channels: readonly string[], alpha: number): Rgba | undefined {
  const [r, g, b] = channels.map((channel) => scaled(channel, 255));
  if (r === undefined || g === undefined || b === undefined) return undefined;
  return [Math.round(r), Math.round(g), Math.round(b), alpha];
}

function fromHsl(hue: string, saturation: string, lightness: string, alpha: number): Rgba | undefined {
  const [, digits, unit = 'deg'] = hue === 'none' ? [, '0'] : (NUMBER.exec(hue) ?? []);
  const turn = TURNS[unit];
  const [s, l] = [shareOf(saturation), shareOf(lightness)];
  if (digits === undefined || turn === undefined || s === undefined || l === undefined) return undefined;
  const turns = Number(digits) * turn;
  const h = (turns - Math.floor(turns)) * 12;
  const reach = s * Math.min(l, 1 - l);
  const channel = (n: number): number => {
    const k = (n + h) % 12;
    return Math.round((l - reach * Math.max(-1, Math.min(k - 3, 9 - k, 1))) * 255);
  };
  return [channel(0), channel(8), channel(4), alpha];
}

/** Saturation and lightness: percentages, or bare numbers up to 100. */
function shareOf(text: string): number | undefined {
  const value = scaled(text.endsWith('%') || text === 'none' ? text : `${text}%`, 1);
  return value;
}
