import type { Canvas, Paint } from 'canvaskit-wasm';
import type { CanvasState } from './state.js';
import type { TextShaper } from './text-shaper.js';

/** The result of `measureText`, in pixels. */
export type TextMeasures = Readonly<
  Record<
    'width' | 'actualBoundingBoxLeft' | 'actualBoundingBoxRight' | 'fontBoundingBoxAscent' | 'fontBoundingBoxDescent',
    number
  >
>;

/** A line of text and the point that it is aligned to. */
export interface TextLine {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  /** A wider line is squeezed to it, in pixels. */
  readonly maxWidth: number | undefined;
}

/** Measures a line of text in the font and alignment of the state. */
export function measureLine(shaper: TextShaper, text: string, state: CanvasState): TextMeasures {
  const { width } = shaper.shape(text, state.font);
  const { ascent, descent } = shaper.metrics(state.font);
  const left = alignmentShift(state, width);
  const baseline = baselineShift(shaper, state);
  return Object.freeze({
    width,
    actualBoundingBoxLeft: left === 0 ? 0 : -left,
    actualBoundingBoxRight: width + left,
    fontBoundingBoxAscent: Math.round(ascent) - baseline,
    fontBoundingBoxDescent: Math.round(descent) + baseline,
  });
}

/** Shapes and places a line of text. @returns the function that draws it */
export function layOutLine(
  shaper: TextShaper,
  { text, x, y, maxWidth }: TextLine,
  state: CanvasState,
): (canvas: Canvas, paint: Paint) => void {
  const shaped = shaper.shape(text, state.font);
  const squeeze = maxWidth !== undefined && shaped.width > maxWidth ? maxWidth / shaped.width : 1;
  const left = x + alignmentShift(state, shaped.width * squeeze);
  const baseline = y + baselineShift(shaper, state);
  return (canvas, paint) => {
    if (squeeze === 1) {
      shaper.draw(canvas, shaped, left, baseline, paint);
      return;
    }
    canvas.save();
    canvas.translate(left, baseline);
    canvas.scale(squeeze, 1);
    shaper.draw(canvas, shaped, 0, 0, paint);
    canvas.restore();
  };
}

function alignmentShift({ textAlign }: CanvasState, width: number): number {
  if (textAlign === 'center') return -width / 2;
  return textAlign === 'right' || textAlign === 'end' ? -width : 0;
}

function baselineShift(shaper: TextShaper, { font, textBaseline }: CanvasState): number {
  if (textBaseline === 'alphabetic') return 0;
  const { ascent, descent } = shaper.metrics(font);
  const whole = ascent + descent;
  const [emAscent, emDescent] = whole === 0 ? [0, 0] : [(font.size * ascent) / whole, (font.size * descent) / whole];
  switch (textBaseline) {
    case 'top':
      return emAscent;
    case 'hanging':
      return ascent * 0.8;
    case 'middle':
      return (emAscent - emDescent) / 2;
    case 'ideographic':
      return -descent;
    default:
      return -emDescent;
  }
}
