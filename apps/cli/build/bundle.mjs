// Bundles the command and the packages that every verification uses: a few files load faster than a few hundred.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '..');
await rm(join(root, 'dist', 'bundle'), { recursive: true, force: true });
await build({
  absWorkingDir: root,
  entryPoints: { cer: 'dist/main.js', worker: 'dist/batch/worker.js' },
  outdir: 'dist/bundle',
  bundle: true,
  // The code of a command is a separate file, loaded when it runs.
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'es2022',
  // Loaded when needed: they have their own dependencies or files.
  external: ['@cer/client', '@cer/sketch-engine', '@cer/timestamps', '@modelcontextprotocol/*', 'yauzl', 'zod'],
});
