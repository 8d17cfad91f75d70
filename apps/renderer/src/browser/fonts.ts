import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FONT_FAMILIES, FONT_SUBSETS, readFontFile } from '@cer/sketch-engine/files';

/** The fonts that sketches may use, as written into a folder for the browser. */
export interface StagedFonts {
  /** Path for the environment variable `FONTCONFIG_FILE`. */
  readonly configFile: string;
  /** SHA-256 over every font file and the configuration's rules, 64 lower-case hex digits. */
  readonly digest: string;
}

/**
 * Writes the fonts that sketches may use, and nothing else, into `folder`: text then looks the same whatever fonts the
 * machine has. Of several files of one family, fontconfig takes the first that fits.
 */
export function stageFonts(folder: string): StagedFonts {
  const hash = createHash('sha256');
  const rules = FONT_FAMILIES.map(aliasRules).join('\n');
  hash.update(rules);
  const folders = FONT_SUBSETS.map((subset, index) => {
    const subsetFolder = join(folder, `${index}-${subset}`);
    mkdirSync(subsetFolder, { recursive: true, mode: 0o755 });
    for (const family of FONT_FAMILIES) {
      for (const face of family.faces) {
        const font = readFontFile(family, subset, face);
        hash.update(font);
        const base = family.package.slice('@fontsource/'.length);
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

function aliasRules({ name, aliases }: (typeof FONT_FAMILIES)[number]): string {
  return aliases
    .map((alias) => `<alias binding="same"><family>${alias}</family><prefer><family>${name}</family></prefer></alias>`)
    .join('\n');
}
