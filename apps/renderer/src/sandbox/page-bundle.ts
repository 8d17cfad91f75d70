import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type BuildOptions } from 'esbuild';
import { readMathModule } from './math-module.js';

/** The scripts of the sketch page, each one self-contained. */
export interface PageBundle {
  /** The document's first script: the pinned language, prelude and drawing layer. */
  readonly mainWorld: string;
  /** For the isolated world: reading and hashing. */
  readonly isolatedWorld: string;
  /** SHA-256 over both, 64 lower-case hex digits. */
  readonly digest: string;
  /** Of the drawing runtime underneath. */
  readonly sdkVersion: string;
}

/** Bundles what runs inside the page; once per process, in memory. */
export async function bundlePage(): Promise<PageBundle> {
  const COPY_WORKER = JSON.stringify(await bundle('reader/copy-worker'));
  const MATH_MODULE = JSON.stringify((await readMathModule()).toString('base64'));
  const [language, drawing, isolatedWorld, sdkVersion] = await Promise.all([
    bundle('language/pin', { define: { MATH_MODULE } }),
    // Our own `**` calls the pinned Math.pow too, which this script takes when it begins.
    bundle('main-world', { supported: { 'exponent-operator': false } }),
    bundle('reader/isolated-world', { define: { COPY_WORKER } }),
    sdkVersionOf('@nexart/codemode-sdk/core'),
  ]);
  const mainWorld = `${language}\n${drawing}`;
  const digest = createHash('sha256').update(mainWorld).update('\0').update(isolatedWorld).digest('hex');
  return { mainWorld, isolatedWorld, digest, sdkVersion };
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
    external: ['module'],
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
