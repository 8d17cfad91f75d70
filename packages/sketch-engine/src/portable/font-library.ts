import type { CanvasKit, Typeface, TypefaceFontProvider } from 'canvaskit-wasm';
import type { FontRequest } from './font-syntax.js';

/** One font file; a face comes in several, each with a part of its characters. */
export interface FontFile {
  /** Lower case. */
  readonly family: string;
  readonly isBold: boolean;
  readonly isItalic: boolean;
  readonly bytes: Uint8Array;
}

export interface FontSet {
  /** The files of a face in the order in which characters are looked for. */
  readonly files: readonly FontFile[];
  /** Other names of the families, lower case. */
  readonly aliases: Readonly<Record<string, string>>;
  /** The family for a sketch that names none of these. */
  readonly fallback: string;
}

/** One face, and what of the request it does not have. */
export interface Face {
  /** The face's files by the names under which the provider has them, in order. */
  readonly names: readonly string[];
  /** Of the first file. */
  readonly typeface: Typeface;
  readonly needsBold: boolean;
  readonly needsItalic: boolean;
}

/** Finds typefaces by request; files are opened when first needed. */
export class FontLibrary {
  readonly #kit: CanvasKit;
  readonly #fonts: FontSet;
  readonly #registered = new Set<string>();
  readonly #opened = new Map<FontFile, Typeface>();
  /** The provider of typefaces for shaped text. */
  readonly provider: TypefaceFontProvider;

  constructor(kit: CanvasKit, fonts: FontSet) {
    this.#kit = kit;
    this.#fonts = fonts;
    this.provider = kit.TypefaceFontProvider.Make();
  }

  face({ families, isBold, isItalic }: FontRequest): Face {
    const { files, fallback } = this.#fonts;
    const family = families.map((name) => this.#known(name)).find((name) => name !== undefined) ?? fallback;
    const own = files.filter((file) => file.family === family);
    // Weight counts more than slant, which can be drawn.
    const rank = (file: FontFile): number => (file.isBold === isBold ? 0 : 2) + (file.isItalic === isItalic ? 0 : 1);
    const best = Math.min(...own.map(rank));
    const chosen = own.filter((file) => rank(file) === best);
    const [first] = chosen;
    if (first === undefined) throw new Error('a family without a font');
    return {
      names: chosen.map((file) => this.#register(file)),
      typeface: this.#open(first),
      needsBold: isBold && !first.isBold,
      needsItalic: isItalic && !first.isItalic,
    };
  }

  #known(name: string): string | undefined {
    const { files, aliases } = this.#fonts;
    const family = aliases[name] ?? name;
    return files.some((file) => file.family === family) ? family : undefined;
  }

  #register(file: FontFile): string {
    const name = `file-${this.#fonts.files.indexOf(file)}`;
    if (!this.#registered.has(name)) this.provider.registerFont(new Uint8Array(file.bytes).buffer, name);
    this.#registered.add(name);
    return name;
  }

  #open(file: FontFile): Typeface {
    const known = this.#opened.get(file);
    if (known !== undefined) return known;
    const typeface = this.#kit.Typeface.MakeTypefaceFromData(new Uint8Array(file.bytes).buffer);
    if (typeface === null) throw new Error('a font file cannot be read');
    this.#opened.set(file, typeface);
    return typeface;
  }
}
