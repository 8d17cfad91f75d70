import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type BuildOptions } from 'esbuild';
import type { FontSource } from '../browser/fonts.js';
import { ENGINE_URL, engineAnswer, sketchDocument, SKETCH_URL } from './document.js';
import { packEngine, type EngineIdentity } from './engine-package.js';
import { readMathModule } from './math-module.js';

/** The engines that draw. `portable` gives the same picture on every machine. */
export const ENGINES = ['portable', 'chromium-native'] as const;
export type EngineName = (typeof ENGINES)[number];

/** What one page is made of. */
export interface PageScripts {
  /** What the page's addresses answer, for `Fetch.fulfillRequest`. */
  readonly answers: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  /** For the isolated world: reading and hashing. */
  readonly isolatedWorld: string;
}

/** The scripts of the sketch pages, each one self-contained. */
export interface PageBundle {
  readonly pages: Readonly<Record<EngineName, PageScripts>>;
  /** SHA-256 over all scripts, 64 lower-case hex digits. */
  readonly digest: string;
  /** Of the drawing runtime underneath. */
  readonly sdkVersion: string;
  readonly portable: EngineIdentity;
}

/**
 * What Skia's glue finds in place of the page's own: a clock that reads 0, though nothing asks for it, and no registry,
 * which would not work in an emptied page.
 */
const SKIA_GLUE = { 'Date.now': 'Number', 'performance.now': 'Number', FinalizationRegistry: 'undefined' };

/** Bundles what runs inside the pages; once per process, in memory. */
export async function bundlePage(fonts: readonly FontSource[]): Promise<PageBundle> {
  const COPY_WORKER = JSON.stringify(await bundle('reader/copy-worker'));
  const math = await readMathModule();
  const MATH_MODULE = JSON.stringify(math.toString('base64'));
  // Our own `**` calls the pinned Math.pow, which these scripts take when they begin.
  const supported = { 'exponent-operator': false };
  const [language, native, portable, isolatedWorld, sdkVersion, packed] = await Promise.all([
    bundle('language/pin', { define: { MATH_MODULE } }),
    bundle('native-world', { supported }),
    bundle('portable-world', { supported, define: SKIA_GLUE }),
    bundle('reader/isolated-world', { define: { COPY_WORKER } }),
    sdkVersionOf('@nexart/codemode-sdk/core'),
    packEngine(fonts, math),
  ]);
  const page = (world: string, more: PageScripts['answers']): PageScripts => ({
    answers: new Map([[SKETCH_URL, sketchDocument(`${language}\n${withOwnGlobals(world)}`)], ...more]),
    isolatedWorld,
  });
  const hash = createHash('sha256');
  for (const script of [language, native, portable, isolatedWorld]) hash.update(script).update('\0');
  return {
    pages: {
      portable: page(portable, new Map([[ENGINE_URL, engineAnswer(packed.bytes)]])),
      'chromium-native': page(native, new Map()),
    },
    digest: hash.digest('hex'),
    sdkVersion,
    portable: packed.identity,
  };
}

/** Globals that the page's own code takes before the sketch can replace them. */
const OWN_GLOBALS = [
  ...['Array', 'ArrayBuffer', 'DataView', 'Error', 'JSON', 'Map', 'Math', 'Number', 'Object', 'Promise', 'RangeError'],
  ...['Reflect', 'RegExp', 'Set', 'String', 'Symbol', 'SyntaxError', 'TypeError', 'WeakMap', 'BigInt', 'Boolean'],
  ...['Float32Array', 'Float64Array', 'Int8Array', 'Int16Array', 'Int32Array', 'Uint8Array', 'Uint8ClampedArray'],
  ...['Uint16Array', 'Uint32Array', 'isFinite', 'isNaN', 'parseFloat', 'parseInt'],
].join();

function withOwnGlobals(script: string): string {
  return `(()=>{'use strict';const {${OWN_GLOBALS}}=globalThis;\n${script}\n})()`;
}

/** The installed version: its package publishes neither types for this entry nor its `package.json`. */
async function sdkVersionOf(entry: string): Promise<string> {
  const folder = dirname(createRequire(import.meta.url).resolve(entry));
  const manifest = await readFile(join(folder, '..', '..', 'package.json'), 'utf8');
  return (JSON.parse(manifest) as { readonly version: string }).version;
}

async function bundle(
  entry: string,
  { define, ...more }: Pick<BuildOptions, 'define' | 'supported'> = {},
): Promise<string> {
  const built = await build({
    entryPoints: [sourceOf(entry)],
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    target: 'chrome140',
    charset: 'ascii',
    external: ['module', 'fs', 'path'],
    logLevel: 'error',
    define: { 'import.meta.url': '""', ...define },
    ...more,
  });
  const [file] = built.outputFiles;
  if (file === undefined) throw new Error(`${entry} gave no bundle`);
  return file.text;
}

/** Compiled in a built service, TypeScript where tests run on sources. */
function sourceOf(entry: string): string {
  const compiled = fileURLToPath(new URL(`../runtime/${entry}.js`, import.meta.url));
  return existsSync(compiled) ? compiled : compiled.replace(/\.js$/, '.ts');
}
