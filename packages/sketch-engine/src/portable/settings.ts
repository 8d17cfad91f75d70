import { colorText, parseColor } from './color-syntax.js';
import { fillOf, shownFill } from './fills.js';
import { parseFilter } from './filters.js';
import { parseFont } from './font-syntax.js';
import { isBlendMode } from './painter.js';
import type { CanvasState } from './state.js';
import { numberOf, textOf } from './values.js';

/** The properties of a context that a sketch sets. */
export interface CanvasSettings {
  fillStyle: unknown;
  strokeStyle: unknown;
  globalAlpha: number;
  globalCompositeOperation: string;
  lineWidth: number;
  lineCap: string;
  lineJoin: string;
  miterLimit: number;
  lineDashOffset: number;
  shadowColor: string;
  shadowBlur: number;
  shadowOffsetX: number;
  shadowOffsetY: number;
  filter: string;
  font: string;
  textAlign: string;
  textBaseline: string;
  imageSmoothingEnabled: boolean;
  imageSmoothingQuality: string;
}

/** A context's way to its private state. */
export interface StateAccess<Context> {
  readonly stateOf: (context: Context) => CanvasState;
  readonly change: (context: Context, part: Partial<CanvasState>) => void;
}

/** How one property reads the state, and the part of it that a value sets; undefined where the value means nothing. */
interface Setting<Value> {
  readonly read: (state: CanvasState) => Value;
  readonly parse: (value: Value, state: CanvasState) => Change;
}

const LINE_CAPS = ['butt', 'round', 'square'];
const LINE_JOINS = ['miter', 'round', 'bevel'];
const ALIGNMENTS = ['start', 'end', 'left', 'right', 'center'];
const BASELINES = ['top', 'hanging', 'middle', 'alphabetic', 'ideographic', 'bottom'];
const QUALITIES = ['low', 'medium', 'high'];

type Settings<Name extends keyof CanvasSettings> = { readonly [Each in Name]: Setting<CanvasSettings[Each]> };

const SETTINGS: Settings<keyof CanvasSettings> = {
  fillStyle: { read: ({ fill }) => shownFill(fill), parse: (value) => part('fill', fillOf(value)) },
  strokeStyle: { read: ({ stroke }) => shownFill(stroke), parse: (value) => part('stroke', fillOf(value)) },
  globalAlpha: { read: ({ alpha }) => alpha, parse: numberIn('alpha', (value) => value >= 0 && value <= 1) },
  globalCompositeOperation: { read: ({ blend }) => blend, parse: textIn('blend', isBlendMode) },
  lineWidth: { read: ({ lineWidth }) => lineWidth, parse: numberIn('lineWidth', isPositive) },
  lineCap: { read: ({ lineCap }) => lineCap, parse: textIn('lineCap', (value) => LINE_CAPS.includes(value)) },
  lineJoin: { read: ({ lineJoin }) => lineJoin, parse: textIn('lineJoin', (value) => LINE_JOINS.includes(value)) },
  miterLimit: { read: ({ miterLimit }) => miterLimit, parse: numberIn('miterLimit', isPositive) },
  lineDashOffset: { read: ({ dashOffset }) => dashOffset, parse: numberIn('dashOffset', Number.isFinite) },
  shadowColor: {
    read: ({ shadowColor }) => colorText(shadowColor),
    parse: (value) => part('shadowColor', parseColor(textOf(value))),
  },
  shadowBlur: {
    read: ({ shadowBlur }) => shadowBlur,
    parse: numberIn('shadowBlur', (value) => value >= 0 && value < Infinity),
  },
  shadowOffsetX: { read: ({ shadowX }) => shadowX, parse: numberIn('shadowX', Number.isFinite) },
  shadowOffsetY: { read: ({ shadowY }) => shadowY, parse: numberIn('shadowY', Number.isFinite) },
  filter: {
    read: ({ filterText }) => filterText,
    parse: (value) => {
      const filter = parseFilter(textOf(value));
      return filter === undefined ? undefined : { filter, filterText: textOf(value) };
    },
  },
  font: {
    read: ({ fontText }) => fontText,
    parse: (value, { fontText }) => {
      const font = value === fontText ? undefined : parseFont(textOf(value));
      return font === undefined ? undefined : { font, fontText: textOf(value) };
    },
  },
  textAlign: { read: ({ textAlign }) => textAlign, parse: textIn('textAlign', (value) => ALIGNMENTS.includes(value)) },
  textBaseline: {
    read: ({ textBaseline }) => textBaseline,
    parse: textIn('textBaseline', (value) => BASELINES.includes(value)),
  },
  imageSmoothingEnabled: {
    read: ({ isSmoothing }) => isSmoothing,
    parse: (value: unknown) => ({ isSmoothing: Boolean(value) }),
  },
  imageSmoothingQuality: {
    read: ({ smoothingQuality }) => smoothingQuality,
    parse: textIn('smoothingQuality', (value) => QUALITIES.includes(value)),
  },
};

/** Adds the properties to the prototype of a context; a value that means nothing is ignored, as the canvas does. */
export function defineSettings<Context extends CanvasSettings>(
  prototype: Context,
  { stateOf, change }: StateAccess<Context>,
): void {
  const define = <Name extends keyof CanvasSettings>(name: Name, settings: Settings<Name>): void => {
    const { read, parse } = settings[name];
    Object.defineProperty(prototype, name, {
      configurable: true,
      get(this: Context) {
        return read(stateOf(this));
      },
      set(this: Context, value: CanvasSettings[Name]) {
        const changed = parse(value, stateOf(this));
        if (changed !== undefined) change(this, changed);
      },
    });
  };
  for (const name of Object.keys(SETTINGS) as (keyof CanvasSettings)[]) define(name, SETTINGS);
}

type Change = Partial<CanvasState> | undefined;

function isPositive(value: number): boolean {
  return value > 0 && value < Infinity;
}

function part<Name extends keyof CanvasState>(name: Name, value: CanvasState[Name] | undefined): Change {
  return value === undefined ? undefined : { [name]: value };
}

function numberIn(
  name: 'alpha' | 'lineWidth' | 'miterLimit' | 'dashOffset' | 'shadowBlur' | 'shadowX' | 'shadowY',
  accepts: (value: number) => boolean,
): (value: number) => Change {
  return (value) => {
    const number = numberOf(value);
    return accepts(number) ? { [name]: number } : undefined;
  };
}

function textIn(
  name: 'blend' | 'lineCap' | 'lineJoin' | 'textAlign' | 'textBaseline' | 'smoothingQuality',
  accepts: (value: string) => boolean,
): (value: string) => Change {
  return (value) => (accepts(value) ? { [name]: value } : undefined);
}
