import type { Rgba } from './color-syntax.js';
import type { Fill } from './fills.js';
import type { FilterStep } from './filters.js';
import { FIRST_FONT, type FontRequest } from './font-syntax.js';
import { IDENTITY, type Matrix } from './matrix.js';

/** Everything that `save` keeps and `restore` brings back. */
export interface CanvasState {
  readonly matrix: Matrix;
  readonly fill: Rgba | Fill;
  readonly stroke: Rgba | Fill;
  readonly alpha: number;
  readonly blend: string;
  readonly lineWidth: number;
  readonly lineCap: string;
  readonly lineJoin: string;
  readonly miterLimit: number;
  readonly dash: readonly number[];
  readonly dashOffset: number;
  readonly shadowColor: Rgba;
  readonly shadowBlur: number;
  readonly shadowX: number;
  readonly shadowY: number;
  readonly filterText: string;
  readonly filter: readonly FilterStep[] | null;
  readonly fontText: string;
  readonly font: FontRequest;
  readonly textAlign: string;
  readonly textBaseline: string;
  readonly isSmoothing: boolean;
  readonly smoothingQuality: string;
}

export const FIRST_STATE: CanvasState = {
  matrix: IDENTITY,
  fill: [0, 0, 0, 1],
  stroke: [0, 0, 0, 1],
  alpha: 1,
  blend: 'source-over',
  lineWidth: 1,
  lineCap: 'butt',
  lineJoin: 'miter',
  miterLimit: 10,
  dash: [],
  dashOffset: 0,
  shadowColor: [0, 0, 0, 0],
  shadowBlur: 0,
  shadowX: 0,
  shadowY: 0,
  filterText: 'none',
  filter: null,
  fontText: '10px sans-serif',
  font: FIRST_FONT,
  textAlign: 'start',
  textBaseline: 'alphabetic',
  isSmoothing: true,
  smoothingQuality: 'low',
};

export function hasShadow({ shadowColor, shadowBlur, shadowX, shadowY }: CanvasState): boolean {
  return shadowColor[3] > 0 && (shadowBlur > 0 || shadowX !== 0 || shadowY !== 0);
}
