import type { CanvasKit, ImageFilter } from 'canvaskit-wasm';
import { parseColor } from './color-syntax.js';

const CALL = /\s*([a-z-]+)\(((?:[^()]|\([^()]*\))*)\)\s*/y;
const LENGTH = /^(-?(?:\d+\.?\d*|\.\d+))(?:px)?$/;

/**
 * Reads the CSS text of a canvas's `filter`.
 * @returns undefined where it is not one; `none` is a filter that changes nothing, null
 */
export function parseFilter(text: string): readonly FilterStep[] | null | undefined {
  const css = text.trim().toLowerCase();
  if (css === 'none' || css === '') return css === 'none' ? null : undefined;
  const steps: FilterStep[] = [];
  CALL.lastIndex = 0;
  while (CALL.lastIndex < css.length) {
    const [, name = '', inner = ''] = CALL.exec(css) ?? [];
    const step = stepOf(name, inner.trim());
    if (step === undefined) return undefined;
    steps.push(step);
  }
  return steps;
}

/** One call of the filter's text. */
export type FilterStep =
  | { readonly kind: 'blur'; readonly sigma: number }
  | { readonly kind: 'matrix'; readonly rows: readonly number[] }
  | {
      readonly kind: 'shadow';
      readonly x: number;
      readonly y: number;
      readonly sigma: number;
      readonly color: readonly number[];
    };

/** Each step works on what the one before gave. The caller deletes it. */
export function imageFilterOf(kit: CanvasKit, steps: readonly FilterStep[]): ImageFilter | null {
  return steps.reduce<ImageFilter | null>((input, step) => {
    switch (step.kind) {
      case 'blur':
        return step.sigma === 0 ? input : kit.ImageFilter.MakeBlur(step.sigma, step.sigma, kit.TileMode.Decal, input);
      case 'matrix':
        return kit.ImageFilter.MakeColorFilter(kit.ColorFilter.MakeMatrix([...step.rows]), input);
      case 'shadow':
        return kit.ImageFilter.MakeDropShadow(
          step.x,
          step.y,
          step.sigma,
          step.sigma,
          Float32Array.from(step.color),
          input,
        );
    }
  }, null);
}

function stepOf(name: string, inner: string): FilterStep | undefined {
  if (name === 'blur') {
    const sigma = inner === '' ? 0 : lengthOf(inner);
    return sigma === undefined || sigma < 0 ? undefined : { kind: 'blur', sigma };
  }
  if (name === 'drop-shadow') return shadowOf(inner);
  if (name === 'hue-rotate') {
    const [, digits, unit] = /^(-?(?:\d+\.?\d*|\.\d+))(deg|rad|turn|grad)?$/.exec(inner === '' ? '0' : inner) ?? [];
    if (digits === undefined) return undefined;
    const toRadians = { deg: Math.PI / 180, rad: 1, turn: 2 * Math.PI, grad: Math.PI / 200 }[unit ?? 'deg'] ?? 0;
    return { kind: 'matrix', rows: hueRows(Number(digits) * toRadians) };
  }
  const make = AMOUNTS[name];
  const amount = inner === '' ? 1 : amountOf(inner);
  return make === undefined || amount === undefined ? undefined : { kind: 'matrix', rows: make(amount) };
}

function lengthOf(text: string): number | undefined {
  const digits = LENGTH.exec(text)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

function amountOf(text: string): number | undefined {
  const [, digits, percent] = /^((?:\d+\.?\d*|\.\d+))(%)?$/.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits) / (percent === undefined ? 1 : 100);
}

function shadowOf(inner: string): FilterStep | undefined {
  const lengths: number[] = [];
  const rest: string[] = [];
  for (const part of inner.match(/[a-z]+\([^)]*\)|\S+/g) ?? []) {
    const length = lengthOf(part);
    if (length === undefined) rest.push(part);
    else lengths.push(length);
  }
  const [x, y, blur = 0] = lengths;
  const color = rest.length === 0 ? ([0, 0, 0, 1] as const) : parseColor(rest.join(' '));
  if (x === undefined || y === undefined || blur < 0 || color === undefined) return undefined;
  const [r, g, b, a] = color;
  return { kind: 'shadow', x, y, sigma: blur, color: [r / 255, g / 255, b / 255, a] };
}

const AMOUNTS: Readonly<Record<string, (amount: number) => number[]>> = {
  brightness: (k) => [k, 0, 0, 0, 0, 0, k, 0, 0, 0, 0, 0, k, 0, 0, 0, 0, 0, 1, 0],
  contrast: (k) => {
    const shift = (1 - k) / 2;
    return [k, 0, 0, 0, shift, 0, k, 0, 0, shift, 0, 0, k, 0, shift, 0, 0, 0, 1, 0];
  },
  invert: (amount) => {
    const share = Math.min(1, amount);
    const k = 1 - 2 * share;
    return [k, 0, 0, 0, share, 0, k, 0, 0, share, 0, 0, k, 0, share, 0, 0, 0, 1, 0];
  },
  opacity: (amount) => [1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, Math.min(1, amount), 0],
  saturate: (amount) => saturationRows(amount),
  grayscale: (amount) => saturationRows(1 - Math.min(1, amount)),
  sepia: (amount) => {
    const k = 1 - Math.min(1, amount);
    const row = (own: number, r: number, g: number, b: number): number[] =>
      [r, g, b].map((part, index) => part + (index === own ? 1 - part : -part) * k);
    return [
      ...[...row(0, 0.393, 0.769, 0.189), 0, 0],
      ...[...row(1, 0.349, 0.686, 0.168), 0, 0],
      ...[...row(2, 0.272, 0.534, 0.131), 0, 0],
      ...[0, 0, 0, 1, 0],
    ];
  },
};

const LUMA = [0.213, 0.715, 0.072] as const;

function saturationRows(amount: number): number[] {
  const rows = [0, 1, 2].flatMap((own) => [
    ...LUMA.map((part, index) => part * (1 - amount) + (index === own ? amount : 0)),
    0,
    0,
  ]);
  return [...rows, 0, 0, 0, 1, 0];
}

function hueRows(angle: number): number[] {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const [r, g, b] = LUMA;
  return [
    ...[r + cos * (1 - r) - sin * r, g - cos * g - sin * g, b - cos * b + sin * (1 - b), 0, 0],
    ...[r - cos * r + sin * 0.143, g + cos * (1 - g) + sin * 0.14, b - cos * b - sin * 0.283, 0, 0],
    ...[r - cos * r - sin * (1 - r), g - cos * g + sin * g, b + cos * (1 - b) + sin * b, 0, 0],
    ...[0, 0, 0, 1, 0],
  ];
}
