import { modeOf } from './modes.js';
import { fillOf, type Pen, type SketchFunctions, type Style } from './style.js';

const DEFAULT_LEADING = 1.25;

/** Text with the fonts that are shipped: lines, boxes, alignment, style. */
export function textFunctions(pen: Pen): SketchFunctions {
  const { ctx } = pen;
  const change = (part: Partial<Style>): void => {
    pen.style = { ...pen.style, ...part };
  };
  const measure = (line: string): number => ctx.measureText(line).width;
  const leading = (): number => pen.style.textLeading ?? pen.style.textSize * DEFAULT_LEADING;
  const withFont = <Result>(act: () => Result): Result => {
    const { textStyle, textSize, textFont, textHorizontal, textVertical } = pen.style;
    ctx.font = `${textStyle} ${textSize}px ${textFont}`;
    ctx.textAlign = textHorizontal;
    ctx.textBaseline = textVertical;
    return act();
  };

  const width = (value: unknown): number => withFont(() => Math.max(...String(value).split('\n').map(measure)));
  const ascent = (): number => withFont(() => ctx.measureText('').fontBoundingBoxAscent);
  const descent = (): number => withFont(() => ctx.measureText('').fontBoundingBoxDescent);

  const drawLines = (lines: readonly string[], x: number, y: number): void => {
    if (pen.isClipping) return;
    const { fill, fillChosen, stroke, strokeChosen, eraser } = pen.style;
    const solid = fillChosen || eraser !== undefined ? fillOf(pen.style) : fill && 'rgb(0, 0, 0)';
    lines.forEach((line, index) => {
      const baseline = y + index * leading();
      // Text is outlined only where the sketch chose a stroke, as in p5.js.
      if (stroke !== undefined && strokeChosen) ctx.strokeText(line, x, baseline);
      if (solid === undefined) return;
      ctx.fillStyle = solid;
      ctx.fillText(line, x, baseline);
    });
    if (fill !== undefined) ctx.fillStyle = fillOf(pen.style);
  };

  return {
    text(value: unknown, x: number, y: number, width?: number, height?: number) {
      // A canvas has no tabs; p5.js draws two spaces.
      const paragraphs = String(value).replaceAll('\t', '  ').split('\n');
      withFont(() => {
        const { textHorizontal, textVertical, textWrap, rectMode } = pen.style;
        /** From the first line to the one that is aligned. */
        const raise = (lines: readonly string[]): number => {
          const all = (lines.length - 1) * leading();
          return textVertical === 'middle' ? all / 2 : textVertical === 'bottom' ? all : 0;
        };
        if (width === undefined) {
          drawLines(paragraphs, x, y - raise(paragraphs));
          return;
        }
        const left = rectMode === 'center' ? x - width / 2 : x;
        const top = rectMode === 'center' && height !== undefined ? y - height / 2 : y;
        const wrapped = paragraphs.flatMap((text) => wrap(text, width, textWrap, measure));
        const lines = height === undefined ? wrapped : wrapped.slice(0, Math.max(0, Math.floor(height / leading())));
        const at = textHorizontal === 'center' ? left + width / 2 : textHorizontal === 'right' ? left + width : left;
        if (textVertical === 'alphabetic' || height !== undefined) ctx.textBaseline = 'top';
        if (height === undefined) {
          drawLines(lines, at, top - raise(lines));
          return;
        }
        const free = height - lines.length * leading();
        const drop = textVertical === 'middle' ? free / 2 : textVertical === 'bottom' ? free : 0;
        drawLines(lines, at, top + drop);
      });
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
      change({ textLeading });
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
    textWrap(textWrap: unknown) {
      change({ textWrap: modeOf(textWrap, ['word', 'char'], 'textWrap: must be WORD or CHAR').toUpperCase() });
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

function wrap(text: string, width: number, by: string, measure: (line: string) => number): string[] {
  const pieces = by === 'CHAR' ? Array.from(text) : text.split(/(?<= )/);
  const lines: string[] = [];
  let line = '';
  for (const piece of pieces) {
    if (line !== '' && measure((line + piece).trimEnd()) > width) {
      lines.push(line.trimEnd());
      line = '';
    }
    line += piece;
  }
  return [...lines, line.trimEnd()];
}
