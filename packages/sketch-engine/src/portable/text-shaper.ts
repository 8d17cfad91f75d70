import type { Canvas, CanvasKit, Font, Paint, Typeface } from 'canvaskit-wasm';
import type { Face, FontLibrary } from './font-library.js';
import type { FontRequest } from './font-syntax.js';

/** Glyphs of one typeface with their places along the baseline. */
interface Run {
  readonly typeface: Typeface;
  readonly glyphs: Uint16Array;
  readonly positions: Float32Array;
}

export interface ShapedText {
  readonly face: Face;
  readonly size: number;
  readonly runs: readonly Run[];
  readonly width: number;
}

/** Distances from the baseline, upwards and downwards, in pixels. */
export interface LineMetrics {
  readonly ascent: number;
  readonly descent: number;
}

const SPACES = /[\t\n\f\r\v]/g;
const LONE_SURROGATES = /[\ud800-\udfff]/gu;
const MAX_REMEMBERED = 400;
/** Wider than any line, so that none is broken. */
const UNLIMITED = 1e6;

/** Shapes lines of text with HarfBuzz: kerning and ligatures of the fonts apply. */
export class TextShaper {
  readonly #kit: CanvasKit;
  readonly #library: FontLibrary;
  readonly #shaped = new Map<string, ShapedText>();

  constructor(kit: CanvasKit, library: FontLibrary) {
    this.#kit = kit;
    this.#library = library;
  }

  shape(text: string, font: FontRequest): ShapedText {
    const line = text.replace(SPACES, ' ').replace(LONE_SURROGATES, '\ufffd');
    const key = `${font.size} ${font.isBold} ${font.isItalic} ${font.families.join()}\n${line}`;
    const known = this.#shaped.get(key);
    if (known !== undefined) return known;
    const face = this.#library.face(font);
    const shaped = this.#shape(line, face, font.size);
    if (this.#shaped.size >= MAX_REMEMBERED) this.#shaped.clear();
    this.#shaped.set(key, shaped);
    return shaped;
  }

  metrics(font: FontRequest): LineMetrics {
    const face = this.#library.face(font);
    return this.#withFont(face.typeface, face, font.size, (made) => {
      const { ascent, descent } = made.getMetrics();
      return { ascent: -ascent, descent };
    });
  }

  draw(canvas: Canvas, { runs, face, size }: ShapedText, x: number, y: number, paint: Paint): void {
    for (const { typeface, glyphs, positions } of runs) {
      this.#withFont(typeface, face, size, (font) => {
        canvas.drawGlyphs(glyphs, positions, x, y, font, paint);
      });
    }
  }

  #shape(line: string, face: Face, size: number): ShapedText {
    if (line === '' || size === 0) return { face, size, runs: [], width: 0 };
    const { ParagraphBuilder, ParagraphStyle, BLACK } = this.#kit;
    const style = new ParagraphStyle({ textStyle: { color: BLACK, fontFamilies: [...face.names], fontSize: size } });
    const builder = ParagraphBuilder.MakeFromFontProvider(style, this.#library.provider);
    builder.addText(line);
    const paragraph = builder.build();
    paragraph.layout(UNLIMITED);
    const runs = paragraph.getShapedLines().flatMap((shaped) =>
      shaped.runs.map(({ typeface, glyphs, positions }): Run => {
        // One place more than glyphs: where the run ends. Heights are the line's own.
        const places = positions.slice(0, glyphs.length * 2);
        for (let i = 1; i < places.length; i += 2) places[i] = 0;
        return { typeface, glyphs: glyphs.slice(), positions: places };
      }),
    );
    const width = paragraph.getMaxIntrinsicWidth();
    paragraph.delete();
    builder.delete();
    return { face, size, runs, width };
  }

  #withFont<Result>(typeface: Typeface, face: Face, size: number, act: (font: Font) => Result): Result {
    const font = new this.#kit.Font(typeface, size);
    try {
      font.setEdging(this.#kit.FontEdging.AntiAlias);
      font.setHinting(this.#kit.FontHinting.None);
      font.setSubpixel(true);
      font.setLinearMetrics(true);
      font.setEmbolden(face.needsBold);
      font.setSkewX(face.needsItalic ? -0.25 : 0);
      return act(font);
    } finally {
      font.delete();
    }
  }
}
