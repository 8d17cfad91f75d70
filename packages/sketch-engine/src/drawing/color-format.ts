import { refuse } from './violation.js';

type Channels = readonly number[];
type Formatter = (color: Formattable) => string;

/** The members of a colour that its texts are made of. */
interface Formattable {
  readonly a: number;
  readonly levels: Channels;
  readonly hsb: Channels;
  readonly hsl: Channels;
  readonly mode: { readonly max: Readonly<Record<'hsb' | 'hsl', Channels>> };
  array(): Channels;
}

/** Levels of 0..255 with two digits each. */
const bytes = (levels: Channels): string => `#${levels.map((level) => level.toString(16).padStart(2, '0')).join('')}`;
/** Shares of 0..1 with one digit each. */
const digits = (shares: Channels): string => `#${shares.map((share) => Math.round(share * 15).toString(16)).join('')}`;
const percents = (shares: Channels): string => shares.map((share) => `${(100 * share).toPrecision(3)}%`).join(', ');

/** Hue, saturation and the third channel in the units of the colour's own mode. */
function inUnits(color: Formattable, model: 'hsb' | 'hsl'): string {
  const max = color.mode.max[model];
  return color[model].map((share, channel) => share * (max[channel] ?? 1)).join(', ');
}

const css: Formatter = ({ levels, a }) => `rgba(${levels.slice(0, 3).join()},${a})`;
const hsb: Formatter = (color) => `hsb(${inUnits(color, 'hsb')})`;
const hsba: Formatter = (color) => `hsba(${inUnits(color, 'hsb')}, ${color.a})`;
const hsbShares: Formatter = ({ hsb: shares }) => `hsb(${percents(shares)})`;
const hsbaShares: Formatter = ({ hsb: shares, a }) => `hsba(${percents([...shares, a])})`;

/** Those of p5.js 1, whose `hsla%` begins with `hsl`. */
const FORMATS: ReadonlyMap<string, Formatter> = new Map<string, Formatter>([
  ['#rgb', (color) => digits(color.array().slice(0, 3))],
  ['#rgba', (color) => digits(color.array())],
  ['#rrggbb', ({ levels }) => bytes(levels.slice(0, 3))],
  ['#rrggbbaa', ({ levels }) => bytes(levels)],
  ['rgb', ({ levels }) => `rgb(${levels.slice(0, 3).join(', ')})`],
  ['rgba', css],
  ['rgb%', (color) => `rgb(${percents(color.array().slice(0, 3))})`],
  ['rgba%', (color) => `rgba(${percents(color.array())})`],
  ['hsl', (color) => `hsl(${inUnits(color, 'hsl')})`],
  ['hsla', (color) => `hsla(${inUnits(color, 'hsl')}, ${color.a})`],
  ['hsl%', ({ hsl }) => `hsl(${percents(hsl)})`],
  ['hsla%', ({ hsl, a }) => `hsl(${percents([...hsl, a])})`],
  ['hsb', hsb],
  ['hsba', hsba],
  ['hsb%', hsbShares],
  ['hsba%', hsbaShares],
  ['hsv', hsb],
  ['hsva', hsba],
  ['hsv%', hsbShares],
  ['hsva%', hsbaShares],
]);

/** The text of a colour, in CSS without a format; any other format ends the render. */
export function formatColor(color: Formattable, format: unknown): string {
  if (format === undefined) return css(color);
  const write = typeof format === 'string' ? FORMATS.get(format) : undefined;
  return (write ?? refuse('toString: no such format of colours'))(color);
}
