import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { sfntFromWoff } from './woff.js';

export interface FontFamily {
  readonly package: string;
  readonly name: string;
  /** The names sketches use for it: the generic one, and the ones that every p5 example mentions. */
  readonly aliases: readonly string[];
  readonly faces: readonly string[];
}

export const FONT_FAMILIES: readonly FontFamily[] = [
  {
    package: '@fontsource/open-sans',
    name: 'Open Sans',
    aliases: ['sans-serif', 'system-ui', 'Arial', 'Helvetica', 'Helvetica Neue', 'Verdana', 'Roboto', 'Inter'],
    faces: ['400-normal', '700-normal', '400-italic'],
  },
  {
    package: '@fontsource/noto-serif',
    name: 'Noto Serif',
    aliases: ['serif', 'Georgia', 'Times', 'Times New Roman', 'Garamond'],
    faces: ['400-normal', '700-normal', '400-italic'],
  },
  {
    package: '@fontsource/noto-sans-mono',
    name: 'Noto Sans Mono',
    aliases: ['monospace', 'Courier', 'Courier New', 'Menlo', 'Consolas'],
    faces: ['400-normal', '700-normal'],
  },
];

/** Latin first: characters are looked for in this order. */
export const FONT_SUBSETS = ['latin', 'latin-ext', 'greek', 'cyrillic'];

/** One font file of what sketches may use. */
export interface FontSource {
  readonly family: string;
  readonly isBold: boolean;
  readonly isItalic: boolean;
  readonly bytes: Buffer;
}

/** Draws text of a family that is not there, as in the browser. Lower case, as are the aliases. */
export const FALLBACK_FAMILY = 'noto serif';
export const FONT_ALIASES: Readonly<Record<string, string>> = Object.fromEntries(
  FONT_FAMILIES.flatMap(({ name, aliases }) => aliases.map((alias) => [alias.toLowerCase(), name.toLowerCase()])),
);

/** Every font file, in the order in which characters are looked for. */
export function readFonts(): FontSource[] {
  return FONT_SUBSETS.flatMap((subset) =>
    FONT_FAMILIES.flatMap((family) =>
      family.faces.map((face) => ({
        family: family.name,
        isBold: face.startsWith('700'),
        isItalic: face.endsWith('italic'),
        bytes: readFontFile(family, subset, face),
      })),
    ),
  );
}

/** @returns a TrueType or OpenType file */
export function readFontFile({ package: name }: FontFamily, subset: string, face: string): Buffer {
  const files = join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), 'files');
  return sfntFromWoff(readFileSync(join(files, `${name.slice('@fontsource/'.length)}-${subset}-${face}.woff`)));
}
