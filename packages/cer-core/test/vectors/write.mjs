// Writes the vector families from their definitions: `npm run vectors -w packages/cer-core`.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const here = import.meta.dirname;
const folder = join(here, '../../vectors');
const scratch = mkdtempSync(join(tmpdir(), 'cer-vectors-'));
const outfile = join(scratch, 'generator.mjs');
await build({
  entryPoints: [join(here, 'all-families.ts')],
  bundle: true,
  platform: 'node',
  format: 'esm',
  outfile,
  // tweetnacl asks for node:crypto by `require`.
  banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  logLevel: 'warning',
});
const { allFamilies, familyText, keyHistoryFamily, pictureFamily } = await import(pathToFileURL(outfile).href);
rmSync(scratch, { recursive: true });
const families = await allFamilies();
for (const family of families) writeFileSync(join(folder, `${family.family}.json`), familyText(family));
const pictures = `${JSON.stringify(await pictureFamily(), null, 2)}\n`;
writeFileSync(join(folder, 'pictures', 'pictures.json'), pictures);
const histories = `${JSON.stringify(await keyHistoryFamily(), null, 2)}\n`;
writeFileSync(join(folder, 'key-histories', 'key-histories.json'), histories);
const tests = families.reduce((sum, family) => sum + family.tests.length, 0);
process.stdout.write(`${tests} vectors in ${families.length} families written to ${folder}\n`);
