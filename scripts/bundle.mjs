// node ../../scripts/bundle.mjs src/main.ts [src/THREAD.ts ...], in the folder of a service: bundles its programs into
// dist, in place of what the compiler wrote there. A process that loads one file needs a third of the processor time to
// start of one that loads 1,700.
import { readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build } from 'esbuild';
import { sourcesOf } from './sources-plugin.mjs';

const root = join(import.meta.dirname, '..');
const service = process.cwd();
const dist = join(service, 'dist');

/**
 * Drivers of databases that nothing here uses, packages with files or processes of their own, and what another package
 * takes where it happens to be installed.
 */
const EXTERNAL = [
  ...['better-sqlite3', 'esbuild', 'pkcs11js', '@opentelemetry'],
  ...['mariadb', 'mysql', 'mysql2', 'oracledb', 'pg-native', 'pg-query-stream', 'sqlite3', 'tedious'],
  'supports-color',
];

/** A module finds files by the address that it has without bundling: the compiled one in its workspace's dist. */
const addresses = {
  name: 'addresses',
  setup({ onLoad }) {
    onLoad({ filter: /\/(apps|packages)\/[^/]+\/src\/.*\.ts$/ }, ({ path }) => {
      const contents = readFileSync(path, 'utf8');
      if (!contents.includes('import.meta')) return undefined;
      // The checkout itself may be below a folder `src`.
      const compiled = relative(root, path).replace(/\/src\/(.*)\.ts$/, '/dist/$1.js');
      const url = `new URL(${JSON.stringify(relative(dist, join(root, compiled)))}, distUrl)`;
      return {
        // As an expression: the renderer has it within a text too.
        contents: contents
          .replace(/(?<!['"`])import\.meta\.url/g, `${url}.href`)
          .replace(/(?<!['"`])import\.meta\.dirname/g, `dirnameOf(fileURLToPathOf(${url}))`),
        loader: 'ts',
      };
    });
  },
};

rmSync(join(dist, 'chunks'), { recursive: true, force: true });
await build({
  absWorkingDir: service,
  entryPoints: process.argv.slice(2),
  ...{ outbase: 'src', outdir: dist, allowOverwrite: true },
  ...{ bundle: true, splitting: true, chunkNames: 'chunks/[name]-[hash]' },
  ...{ platform: 'node', format: 'esm', target: 'node20', logLevel: 'error' },
  external: EXTERNAL.flatMap((name) => [name, `${name}/*`]),
  banner: {
    // Bundled CommonJS modules require builtins.
    js: `import { createRequire as requireOf } from 'node:module';
import { dirname as dirnameOf } from 'node:path';
import { fileURLToPath as fileURLToPathOf } from 'node:url';
const require = requireOf(import.meta.url);
const distUrl = import.meta.url.replace(/^(.*\\/dist\\/).*/, '$1');`,
  },
  plugins: [sourcesOf(root), addresses],
});
