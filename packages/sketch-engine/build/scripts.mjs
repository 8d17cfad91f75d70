// Bundles dist/scripts from the compiled sources, each one self-contained: what runs in a sketch's realm, and the program
// that holds such a realm.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { withOwnGlobals, WORLD_BUILD } from '../dist/files/world-build.js';

const DIST = join(import.meta.dirname, '..', 'dist');
const moduleText = (name) => JSON.stringify(readFileSync(join(DIST, name)).toString('base64'));

async function bundle(entry, options = {}) {
  const { outputFiles } = await build({
    entryPoints: [join(DIST, entry)],
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    charset: 'ascii',
    logLevel: 'error',
    ...options,
  });
  return outputFiles[0].text;
}

const program = { platform: 'node', format: 'cjs', target: 'node20' };
const realm = {
  supported: WORLD_BUILD.supported,
  define: { 'import.meta.url': '""', ...WORLD_BUILD.define },
  external: ['module', 'fs', 'path'],
};
const scripts = {
  'pin-language': await bundle('language/pin.js', {
    define: { MATH_MODULE: moduleText('math.wasm') },
    // A variable of scripts is not a member of the global object: a sketch finds it by its name alone.
    banner: { js: 'let __catches;' },
  }),
  'redraw-world': withOwnGlobals(await bundle('worlds/redraw-world.js', realm)),
  'worker-host': await bundle('worlds/worker-host.js'),
  'sketch-process': await bundle('redraw/sketch-process.js', program),
  'sketch-thread': await bundle('redraw/sketch-thread.js', {
    ...program,
    define: { PNG_MODULE: moduleText('png.wasm') },
  }),
};

mkdirSync(join(DIST, 'scripts'), { recursive: true });
for (const [name, text] of Object.entries(scripts)) writeFileSync(join(DIST, 'scripts', `${name}.js`), text);
