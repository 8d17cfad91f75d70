// Bundles the compiled sources with the pure packages they use, once for Node.js and once for everything else.
import { join } from 'node:path';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '..');

for (const [entry, name, platform] of [
  ['index', 'node', 'node'],
  ['index', 'browser', 'browser'],
  ['node-client', 'node-client', 'neutral'],
  ['node-transport', 'node-transport', 'node'],
  ['register', 'register', 'node'],
  ['spool-folder', 'spool-folder', 'node'],
]) {
  await build({
    absWorkingDir: root,
    entryPoints: [`dist/${entry}.js`],
    outfile: `dist/bundle/${name}.js`,
    bundle: true,
    format: 'esm',
    platform,
    target: 'es2022',
    // Comments with the licences of bundled packages stay in the bundle.
    legalComments: 'inline',
  });
}
