// Bundles the command and the packages that every verification uses. One file of CommonJS: the loader of ES modules, and a
// file for each part, take as long as the verification.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'dist', 'bundle');
await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
await writeFile(join(folder, 'package.json'), '{ "type": "commonjs" }\n');
await build({
  absWorkingDir: root,
  // The code of a command runs when the command is called.
  entryPoints: { cer: 'dist/main.js', worker: 'dist/batch/worker.js' },
  outdir: folder,
  bundle: true,
  format: 'cjs',
  platform: 'node',
  target: 'es2022',
  minifyWhitespace: true,
  minifySyntax: true,
  define: { 'import.meta.url': 'bundleUrl' },
  banner: { js: "const bundleUrl = require('node:url').pathToFileURL(__filename).href;" },
  // Loaded when needed: they have their own dependencies or files.
  external: ['@cer/client', '@cer/sketch-engine', '@cer/timestamps', '@modelcontextprotocol/*', 'yauzl', 'zod'],
});
