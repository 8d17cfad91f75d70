import { Color, DEFAULT_COLOR_MODE, type ColorMode } from './color.js';
import type { DrawingContext } from './drawing-context.js';

/** Everything `push()` keeps and `pop()` brings back, beside the transform. */
export interface Style {
  readonly fill: Color | undefined;
  /** Whether the sketch chose it: text is black until it did. */
  readonly fillChosen: boolean;
  readonly stroke: Color | undefined;
  readonly strokeChosen: boolean;
  readonly weight: number;
  readonly rectMode: string;
  readonly ellipseMode: string;
  readonly imageMode: string;
  readonly colorMode: ColorMode;
  readonly tint: Color | undefined;
  /** The canvas's word for the blend mode. */
  readonly blend: string;
  /** Between `erase` and `noErase`: CSS colours whose alpha is the strength. */
  readonly eraser: Readonly<Record<'fill' | 'stroke', string>> | undefined;
  readonly textSize: number;
  readonly textFont: string;
  readonly textStyle: string;
  readonly textLeading: number | undefined;
  readonly textHorizontal: CanvasTextAlign;
  readonly textVertical: CanvasTextBaseline;
  readonly textWrap: string;
  readonly curveTightness: number;
  /** The behaviour of a spline at its first and last point: `include`, `exclude` or `join`. */
  readonly splineEnds: string;
}

export const FIRST_STYLE: Style = {
  fill: new Color(255, 255, 255, 1, DEFAULT_COLOR_MODE),
  fillChosen: false,
  stroke: new Color(0, 0, 0, 1, DEFAULT_COLOR_MODE),
  strokeChosen: false,
  weight: 1,
  rectMode: 'corner',
  ellipseMode: 'center',
  imageMode: 'corner',
  colorMode: DEFAULT_COLOR_MODE,
  tint: undefined,
  blend: 'source-over',
  eraser: undefined,
  textSize: 12,
  textFont: 'sans-serif',
  textStyle: 'normal',
  textLeading: undefined,
  textHorizontal: 'left',
  textVertical: 'alphabetic',
  textWrap: 'WORD',
  curveTightness: 0,
  splineEnds: 'include',
};

/** One canvas as the drawing functions share it. */
export interface Pen {
  readonly ctx: DrawingContext;
  readonly width: number;
  readonly height: number;
  style: Style;
  /** Between `beginClip` and `endClip`: shapes are not drawn, their outlines are one path. */
  isClipping: boolean;
  /** Converts an angle of the sketch's angle mode to radians. */
  readonly radiansOf: (angle: number) => number;
  readonly colorOf: (args: readonly unknown[]) => Color;
  readonly colorModeOf: (args: readonly unknown[]) => ColorMode;
  /** Makes a further canvas; the page can make none itself. */
  readonly makeCanvas: (width: number, height: number) => DrawingContext;
}

/** Begins the path of a shape. */
export function beginPath({ ctx, isClipping }: Pen): void {
  if (!isClipping) ctx.beginPath();
}

/** Fills and strokes the current path as the style says. */
export function paint({ ctx, style, isClipping }: Pen): void {
  if (isClipping) return;
  if (style.fill !== undefined) ctx.fill();
  if (style.stroke !== undefined) ctx.stroke();
}

/** Writes the style into the canvas. */
export function applyStyle({ ctx, style }: Pen): void {
  if (style.fill !== undefined) ctx.fillStyle = fillOf(style);
  if (style.stroke !== undefined) ctx.strokeStyle = strokeOf(style);
  ctx.lineWidth = canvasWeight(style.weight);
}

/** How shapes are composed between `erase` and `noErase`. */
export const ERASING = 'destination-out';

/** What fills a shape, as a CSS colour. */
export function fillOf({ fill, eraser }: Style): string | undefined {
  return fill && (eraser?.fill ?? fill.toString());
}

/** What strokes a shape, as a CSS colour. */
export function strokeOf({ stroke, eraser }: Style): string | undefined {
  return stroke && (eraser?.stroke ?? stroke.toString());
}

/** A canvas ignores a width of 0, which must draw nothing rather than the last width. It ignores negative ones, as p5.js. */
function canvasWeight(weight: number): number {
  return weight === 0 ? 0.0001 : weight;
}

/** Functions by the name sketches call them. */
export type SketchFunctions = Readonly<Record<string, (...args: never[]) => unknown>>;

/** `fill`, `stroke` and the like. */
export function styleFunctions(pen: Pen): SketchFunctions {
  const change = (part: Partial<Style>): void => {
    pen.style = { ...pen.style, ...part };
  };
  const { ctx } = pen;
  return {
    fill(...args: unknown[]) {
      const fill = pen.colorOf(args);
      const { eraser } = pen.style;
      change({ fill, fillChosen: true, eraser: eraser && { ...eraser, fill: fill.toString() } });
      ctx.fillStyle = fillOf(pen.style);
    },
    noFill() {
      change({ fill: undefined });
    },
    stroke(...args: unknown[]) {
      const stroke = pen.colorOf(args);
      const { eraser } = pen.style;
      change({ stroke, strokeChosen: true, eraser: eraser && { ...eraser, stroke: stroke.toString() } });
      ctx.strokeStyle = strokeOf(pen.style);
    },
    noStroke() {
      change({ stroke: undefined });
    },
    strokeWeight(weight = 0) {
      change({ weight });
      ctx.lineWidth = canvasWeight(weight);
    },
    tint(...args: unknown[]) {
      change({ tint: pen.colorOf(args) });
    },
    noTint() {
      change({ tint: undefined });
    },
  };
}
