import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { sfntFromWoff } from './woff.js';

interface Family {
  readonly package: string;
  readonly name: string;
  /** The names sketches use for it: the generic one, and the ones that every p5 example mentions. */
  readonly aliases: readonly string[];
  readonly faces: readonly string[];
}

const FAMILIES: readonly Family[] = [
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

/** Latin first: of several files of one family, fontconfig takes the first that fits. */
const SUBSETS = ['latin', 'latin-ext', 'greek', 'cyrillic'];

/** One font file of what sketches may use. */
export interface FontSource {
  readonly family: string;
  readonly isBold: boolean;
  readonly isItalic: boolean;
  readonly bytes: Buffer;
}

/** What draws text of a family that is not there, as in the browser. Lower case, as are the aliases. */
export const FALLBACK_FAMILY = 'noto serif';
export const FONT_ALIASES: Readonly<Record<string, string>> = Object.fromEntries(
  FAMILIES.flatMap(({ name, aliases }) => aliases.map((alias) => [alias.toLowerCase(), name.toLowerCase()])),
);

/** Every font file, in the order in which characters are looked for. */
export function readFonts(): FontSource[] {
  const require = createRequire(import.meta.url);
  return SUBSETS.flatMap((subset) =>
    FAMILIES.flatMap(({ package: name, name: family, faces }) =>
      faces.map((face) => {
        const files = join(dirname(require.resolve(`${name}/package.json`)), 'files');
        const base = name.slice('@fontsource/'.length);
        const bytes = sfntFromWoff(readFileSync(join(files, `${base}-${subset}-${face}.woff`)));
        return { family, isBold: face.startsWith('700'), isItalic: face.endsWith('italic'), bytes };
      }),
    ),
  );
}

export interface StagedFonts {
  /** For the environment variable `FONTCONFIG_FILE`. */
  readonly configFile: string;
  /** SHA-256 over every font file and the configuration's rules, 64 lower-case hex digits. */
  readonly digest: string;
}

/**
 * Writes the fonts that sketches may use, and nothing else, into `folder`: text then looks the same whatever fonts the
 * machine has.
 */
export function stageFonts(folder: string): StagedFonts {
  const require = createRequire(import.meta.url);
  const hash = createHash('sha256');
  const rules = FAMILIES.map(aliasRules).join('\n');
  hash.update(rules);
  const folders = SUBSETS.map((subset, index) => {
    const subsetFolder = join(folder, `${index}-${subset}`);
    mkdirSync(subsetFolder, { recursive: true, mode: 0o755 });
    for (const family of FAMILIES) {
      const files = join(dirname(require.resolve(`${family.package}/package.json`)), 'files');
      const base = family.package.slice('@fontsource/'.length);
      for (const face of family.faces) {
        const font = sfntFromWoff(readFileSync(join(files, `${base}-${subset}-${face}.woff`)));
        hash.update(font);
        writeFileSync(join(subsetFolder, `${base}-${face}.ttf`), font, { mode: 0o644 });
      }
    }
    return subsetFolder;
  });
  const configFile = join(folder, 'fonts.conf');
  // The cache folder does not exist: a cache that the jailed process could write would outlive its sketch.
  const config = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
${folders.map((path) => `<dir>${path}</dir>`).join('\n')}
<cachedir>${join(folder, 'no-cache')}</cachedir>
${rules}
</fontconfig>
`;
  writeFileSync(configFile, config, { mode: 0o644 });
  return { configFile, digest: hash.digest('hex') };
}

function aliasRules({ name, aliases }: Family): string {
  return aliases
    .map((alias) => `<alias binding="same"><family>${alias}</family><prefer><family>${name}</family></prefer></alias>`)
    .join('\n');
}
