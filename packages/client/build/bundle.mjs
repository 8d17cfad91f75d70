// Bundles the compiled sources with the pure packages they use, once for Node.js and once for everything else.
import { join } from 'node:path';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '..');

for (const [name, platform] of [
  ['node', 'node'],
  ['browser', 'browser'],
]) {
  await build({
    absWorkingDir: root,
    entryPoints: ['dist/index.js'],
    outfile: `dist/bundle/${name}.js`,
    bundle: true,
    format: 'esm',
    platform,
    target: 'es2022',
    // Comments with the licences of bundled packages stay in the bundle.
    legalComments: 'inline',
  });
}
