import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { EngineIdentity } from '@cer/sketch-engine';
import {
  readInstalledEngine,
  readPngModule,
  readScript,
  readSdkVersion,
  withOwnGlobals,
  WORLD_BUILD,
} from '@cer/sketch-engine/files';
import { SKETCH_URL } from '@cer/sketch-engine/render-rules';
import { build, type BuildOptions } from 'esbuild';
import type { EncodedMembers } from '../browser/cdp-messages.js';
import { ENGINE_URL, engineAnswer, sketchDocument } from './document.js';

/** The engines that draw. `portable` gives the same picture on every machine. */
export const ENGINES = ['portable', 'chromium-native'] as const;
export type EngineName = (typeof ENGINES)[number];

/** The scripts and files of one page. */
export interface PageScripts {
  /** Responses per address, in the form of `Fetch.fulfillRequest`. */
  readonly answers: ReadonlyMap<string, EncodedMembers>;
  /** For the isolated world: reading and hashing. */
  readonly isolatedWorld: string;
}

/** The scripts of the sketch pages, each one self-contained. */
export interface PageBundle {
  readonly pages: Readonly<Record<EngineName, PageScripts>>;
  /** SHA-256 over all scripts, 64 lower-case hex digits. */
  readonly digest: string;
  /** Version of the drawing runtime. */
  readonly sdkVersion: string;
  readonly portable: EngineIdentity;
  /** The page that draws with another packed engine. */
  readonly portablePage: (engine: Buffer) => PageScripts;
}

/** Bundles the scripts of the pages; once per process, in memory. */
export async function bundlePage(): Promise<PageBundle> {
  const COPY_WORKER = JSON.stringify(await bundle('reader/copy-worker'));
  const HASH_WORKER = JSON.stringify(await bundle('reader/hash-worker'));
  const PNG_MODULE = JSON.stringify((await readPngModule()).toString('base64'));
  const { supported, define } = WORLD_BUILD;
  const [language, native, portable, isolatedWorld, sdkVersion, packed] = await Promise.all([
    readScript('pin-language'),
    bundle('native-world', { supported }),
    bundle('portable-world', { supported, define }),
    bundle('reader/isolated-world', { define: { COPY_WORKER, HASH_WORKER, PNG_MODULE } }),
    readSdkVersion(),
    readInstalledEngine(),
  ]);
  const scriptOf = (world: string): string => `${language}\n${withOwnGlobals(world)}`;
  const nativePage: PageScripts = {
    answers: new Map([[SKETCH_URL, sketchDocument(scriptOf(native))]]),
    isolatedWorld,
  };
  const portableDocument = sketchDocument(scriptOf(portable), ENGINE_URL);
  const portablePage = (engine: Buffer): PageScripts => ({
    answers: new Map([
      [SKETCH_URL, portableDocument],
      [ENGINE_URL, engineAnswer(engine)],
    ]),
    isolatedWorld,
  });
  const hash = createHash('sha256');
  for (const script of [language, native, portable, isolatedWorld]) hash.update(script).update('\0');
  return {
    pages: {
      portable: portablePage(packed.bytes),
      'chromium-native': nativePage,
    },
    digest: hash.digest('hex'),
    sdkVersion,
    portable: packed.identity,
    portablePage,
  };
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
