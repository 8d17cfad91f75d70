// The programs that tests start as separate processes, bundled from their sources: a process that loads one file takes
// a fifth of the processor time of one that loads 1,700.
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, stop } from 'esbuild';
import { sourcesOf } from '../sources-plugin.mjs';

const ROOT = join(import.meta.dirname, '..', '..');

/** The sources of each program and of its threads. A module in the folder of a thread names it. */
const PROGRAMS = [
  ['apps/bridge/src/main.ts'],
  ['apps/cli/src/main.ts'],
  ['apps/dashboard/src/main.ts'],
  [
    'apps/node/src/main.ts',
    'apps/node/src/store/sqlite/log-mover-thread.ts',
    'apps/node/src/store/sqlite/writer-thread.ts',
    'apps/node/src/thread/thread.ts',
  ],
  ['apps/node/test/client/killed-producer.mjs'],
  ['apps/node/test/log/log-turn-process.ts'],
  ['apps/node/test/store/recording-process.mjs', 'apps/node/src/store/sqlite/writer-thread.ts'],
  ['apps/renderer/src/main.ts'],
  ['apps/verifier/src/main.ts'],
  ['apps/witness/src/main.ts'],
].map(([main, ...threads]) => ({
  entryPoints: [main, ...threads].map((path) => join(ROOT, path)),
  foldersOfThreads: threads.map((path) => dirname(join(ROOT, path))),
}));
/** The client, for programs that import it. */
const CLIENT = {
  entryPoints: ['index', 'node-client', 'node-transport'].map((name) => join(ROOT, `packages/client/src/${name}.ts`)),
  foldersOfThreads: [],
};

/**
 * Programs of other languages, drivers of databases that nothing here uses, and modules whose loading a test observes
 * by name.
 */
const EXTERNAL = [
  ...['better-sqlite3', 'esbuild', 'pkcs11js'],
  '@opentelemetry',
  ...['mariadb', 'mysql', 'mysql2', 'oracledb', 'pg-native', 'pg-query-stream', 'sqlite3', 'tedious'],
];

let users = 0;
let bundling;

/**
 * Bundles the programs once for the whole run, whichever workspaces ask for it, and sets `CER_TEST_PROGRAMS` to the
 * folder: `apps/node/src/main.ts` is its apps/node/src/main.js. A workspace calls this in its jest globalSetup, and
 * `leaveServiceBundles` in its globalTeardown.
 */
export async function useServiceBundles() {
  users += 1;
  bundling ??= bundlePrograms();
  process.env.CER_TEST_PROGRAMS = await bundling;
}

export async function leaveServiceBundles() {
  users -= 1;
  if (users > 0 || bundling === undefined) return;
  const folder = await bundling;
  bundling = undefined;
  rmSync(folder, { recursive: true, force: true });
}

async function bundlePrograms() {
  // Within the checkout: external packages are found from there.
  const parent = join(ROOT, 'node_modules', '.cache');
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, 'test-programs-'));
  await Promise.all([...PROGRAMS, CLIENT].map((program) => bundle(program, folder)));
  await stop();
  return folder;
}

function bundle({ entryPoints, foldersOfThreads }, folder) {
  return build({
    entryPoints,
    ...{ outbase: ROOT, outdir: folder, bundle: true, splitting: true, chunkNames: 'chunks/[name]-[hash]' },
    ...{ platform: 'node', format: 'esm', target: 'node20', logLevel: 'error' },
    external: EXTERNAL.flatMap((name) => [name, `${name}/*`]),
    // Bundled CommonJS modules require builtins.
    banner: {
      js: `import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);`,
    },
    plugins: [sourcesOf(ROOT), addresses(folder, foldersOfThreads)],
  });
}

/**
 * Each module keeps the address of its source, by which it finds files of its workspace; one that names a thread has an
 * address in the bundle.
 */
function addresses(folder, foldersOfThreads) {
  return {
    name: 'addresses',
    setup({ onLoad }) {
      onLoad({ filter: /\/(apps|packages)\/[^/]+\/(src|test)\/.*\.ts$/ }, ({ path }) => {
        const contents = readFileSync(path, 'utf8');
        if (!contents.includes('import.meta')) return undefined;
        const bundled = join(folder, relative(ROOT, path).replace(/\.ts$/, '.js'));
        const file = foldersOfThreads.includes(dirname(path)) ? bundled : path;
        return {
          // As an expression: the renderer has it within a text too.
          contents: contents
            .replace(/(?<!['"`])import\.meta\.url/g, JSON.stringify(pathToFileURL(file).href))
            .replace(/(?<!['"`])import\.meta\.dirname/g, JSON.stringify(dirname(file))),
          loader: 'ts',
        };
      });
    },
  };
}
