// Writes the vector folders from their definitions: `npm run vectors -w packages/cer-core`.
import { mkdirSync, rmSync, writeFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const here = import.meta.dirname;
const folder = join(here, '../../vectors');
const outfile = join(here, '../../dist/vectors-generator.mjs');
await build({
  entryPoints: [join(here, 'all-vectors.ts')],
  bundle: true,
  platform: 'node',
  format: 'esm',
  outfile,
  // tweetnacl asks for node:crypto by `require`.
  banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  logLevel: 'warning',
});
const { allVectors, filesOf } = await import(pathToFileURL(outfile).href);
const vectors = await allVectors();
for (const name of readdirSync(folder)) {
  if (name !== 'independent' && name !== 'README.md') rmSync(join(folder, name), { recursive: true });
}
for (const vector of vectors) {
  mkdirSync(join(folder, vector.name), { recursive: true });
  for (const [file, text] of filesOf(vector)) writeFileSync(join(folder, vector.name, file), text);
}
process.stdout.write(`${vectors.length} vectors written to ${folder}\n`);
