import { modeOf } from './modes.js';
import { type Pen, type SketchFunctions, type Style } from './style.js';

const DEFAULT_LEADING = 1.25;

/** Text with the fonts that are shipped: lines, boxes, alignment, style. */
export function textFunctions(pen: Pen): SketchFunctions {
  const { ctx } = pen;
  // A sketch may set the font of `drawingContext` too; as in p5.js it stays until the next of these functions.
  const change = (part: Partial<Style>): void => {
    pen.style = { ...pen.style, ...part };
    const { textStyle, textSize, textFont, textHorizontal, textVertical } = pen.style;
    ctx.font = `${textStyle} ${textSize}px ${textFont}`;
    ctx.textAlign = textHorizontal;
    ctx.textBaseline = textVertical;
  };
  change({});
  const measure = (line: string): number => ctx.measureText(line).width;
  const leading = (): number => pen.style.textLeading ?? pen.style.textSize * DEFAULT_LEADING;
  const withBaseline = <Result>(baseline: CanvasTextBaseline, act: () => Result): Result => {
    const before = ctx.textBaseline;
    ctx.textBaseline = baseline;
    const result = act();
    ctx.textBaseline = before;
    return result;
  };

  const width = (value: unknown): number => Math.max(...String(value).split('\n').map(measure));
  // From the baseline, whatever the alignment, as in p5.js 1.
  const metrics = (): ReturnType<typeof ctx.measureText> => withBaseline('alphabetic', () => ctx.measureText(''));
  const ascent = (): number => metrics().fontBoundingBoxAscent;
  const descent = (): number => metrics().fontBoundingBoxDescent;

  /** From the first line to the one that is aligned. */
  const raise = (lines: readonly string[]): number => {
    const { textVertical } = pen.style;
    const all = (lines.length - 1) * leading();
    return textVertical === 'middle' ? all / 2 : textVertical === 'bottom' ? all : 0;
  };
  /** The lines whose baselines are within `from` and `to`. */
  const drawLines = (lines: readonly string[], x: number, y: number, from = -Infinity, to = Infinity): void => {
    if (pen.isClipping) return;
    const { fill, fillChosen, stroke, strokeChosen, eraser } = pen.style;
    const before = ctx.fillStyle;
    if (!fillChosen && eraser === undefined) ctx.fillStyle = 'rgb(0, 0, 0)';
    lines.forEach((line, index) => {
      const baseline = y + index * leading();
      if (baseline < from || baseline >= to) return;
      // Text is outlined only where the sketch chose a stroke, as in p5.js.
      if (stroke !== undefined && strokeChosen) ctx.strokeText(line, x, baseline);
      if (fill !== undefined) ctx.fillText(line, x, baseline);
    });
    ctx.fillStyle = before;
  };

  /** Which baselines show a line, and the one that the alignment is about. */
  const range = (y: number, height: number | undefined): readonly [from: number, at: number, to: number] => {
    const { textVertical, textSize } = pen.style;
    const isAligned = textVertical === 'middle' || textVertical === 'bottom';
    if (height === undefined) {
      const reach = (textSize * leading()) / 2;
      return isAligned ? [y - reach, y, y + reach] : [y, y, Infinity];
    }
    const rise = ascent();
    if (textVertical === 'middle') return [y + rise / 2, y + height / 2, y + height - rise / 2];
    return textVertical === 'bottom' ? [y + rise, y + height, y + 2 * height - rise] : [y, y, y + height - rise];
  };
  /** The lines of a text in a box, as p5.js 1 breaks, places and leaves them out. */
  const drawBox = (paragraphs: readonly string[], x: number, y: number, width: number, height?: number): void => {
    const { textHorizontal, textVertical, textWrap, rectMode } = pen.style;
    const isCentered = rectMode === 'center';
    const left = isCentered ? x - width / 2 : x;
    const at = textHorizontal === 'center' ? left + width / 2 : textHorizontal === 'right' ? left + width : left;
    const [from, baseline, to] = range(isCentered && height !== undefined ? y - height / 2 : y, height);
    const lines = paragraphs.flatMap((text) => wrap(text, width, textWrap, measure));
    const first = baseline - raise(lines);
    withBaseline(textVertical === 'alphabetic' ? 'top' : textVertical, () => {
      drawLines(lines, at, first, from, to);
    });
  };

  return {
    text(value: unknown, x: number, y: number, width?: number, height?: number) {
      // A canvas has no tabs; p5.js draws two spaces.
      const paragraphs = String(value).replaceAll('\t', '  ').split('\n');
      if (value === undefined) return;
      if (width === undefined) drawLines(paragraphs, x, y - raise(paragraphs));
      else drawBox(paragraphs, x, y, width, height);
    },
    textSize(size?: number) {
      if (size === undefined) return pen.style.textSize;
      change({ textSize: size });
      return undefined;
    },
    textFont(font: unknown, size?: number) {
      change({ textFont: familyOf(String(font)), ...(size !== undefined && { textSize: size }) });
    },
    textStyle(style: unknown) {
      const rule = 'textStyle: must be NORMAL, ITALIC, BOLD or BOLDITALIC';
      change({ textStyle: modeOf(style, ['normal', 'italic', 'bold', 'bold italic'], rule) });
    },
    textLeading(textLeading?: number) {
      if (textLeading === undefined) return leading();
      pen.style = { ...pen.style, textLeading };
      return undefined;
    },
    textAlign(horizontal: unknown, vertical?: unknown) {
      const across = 'textAlign: the first must be LEFT, CENTER or RIGHT';
      change({ textHorizontal: modeOf(horizontal, ['left', 'center', 'right'], across) });
      if (vertical === undefined) return;
      const down = 'textAlign: the second must be TOP, CENTER, BOTTOM or BASELINE';
      const chosen = modeOf(vertical, ['top', 'center', 'middle', 'bottom', 'baseline', 'alphabetic'], down);
      change({ textVertical: chosen === 'center' ? 'middle' : chosen === 'baseline' ? 'alphabetic' : chosen });
    },
    textWrap(mode: unknown) {
      const textWrap = modeOf(mode, ['word', 'char'], 'textWrap: must be WORD or CHAR').toUpperCase();
      pen.style = { ...pen.style, textWrap };
    },
    textWidth: width,
    textAscent: ascent,
    textDescent: descent,
    fontWidth: width,
    fontAscent: ascent,
    fontDescent: descent,
  };
}

/** A family of several words needs quotes; a list of families is left as it is. */
function familyOf(font: string): string {
  return /^[\w-]+$/.test(font) || /[",']/.test(font) ? font : `"${font}"`;
}

/** As in p5.js 1 a line of words needs room for the space after it. */
function wrap(text: string, width: number, by: string, measure: (line: string) => number): string[] {
  const pieces = by === 'CHAR' ? Array.from(text) : text.split(' ').map((word) => `${word} `);
  const lines: string[] = [];
  let line = '';
  for (const piece of pieces) {
    if (line !== '' && measure(line + piece) > width) {
      lines.push(line.trim());
      line = '';
    }
    line += piece;
  }
  return [...lines, line.trim()];
}
