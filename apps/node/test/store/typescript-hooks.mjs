// Lets a plain Node process load the sources as they are, of this workspace and of those it depends on, so that a test
// can kill one without a build before it.
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Compiled sources by the hash of compiler, path and content: a start without them takes twice the processor time. */
const CACHE = new URL('../../../../node_modules/.cache/typescript-hooks/', import.meta.url);
const OPTIONS = {
  jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
  module: { type: 'es6' },
  sourceMaps: 'inline',
};
const COMPILER = JSON.stringify([createRequire(import.meta.url)('@swc/core/package.json').version, OPTIONS]);

mkdirSync(CACHE, { recursive: true });

const PACKAGES = new URL('../../../../packages/', import.meta.url);

function sourceOf(specifier, parentURL) {
  if (/^\.{1,2}\/.*\.js$/.test(specifier) && parentURL?.endsWith('.ts')) {
    return new URL(specifier.replace(/\.js$/, '.ts'), parentURL);
  }
  const [, platform] = /^#([a-z-]+)-platform$/.exec(specifier) ?? [];
  if (platform !== undefined) return new URL(`${platform}/src/platform/node.ts`, PACKAGES);
  const [, workspace, file = 'index'] = /^@cer\/([a-z-]+)(?:\/([a-z-]+))?$/.exec(specifier) ?? [];
  return workspace === undefined ? undefined : new URL(`${workspace}/src/${file}.ts`, PACKAGES);
}

export async function resolve(specifier, context, nextResolve) {
  const source = sourceOf(specifier, context.parentURL);
  return source !== undefined && existsSync(source)
    ? { url: source.href, shortCircuit: true }
    : nextResolve(specifier, context);
}

export async function load(url, context, nextLoad) {
  if (!url.endsWith('.ts')) return nextLoad(url, context);
  const code = await compiled(fileURLToPath(url));
  return { format: 'module', source: code, shortCircuit: true };
}

async function compiled(path) {
  const source = readFileSync(path, 'utf8');
  const name = createHash('sha256').update(`${COMPILER}\0${path}\0${source}`).digest('hex');
  const kept = new URL(`${name}.js`, CACHE);
  if (existsSync(kept)) return readFileSync(kept, 'utf8');
  // Loaded only when a source is new.
  const { transform } = await import('@swc/core');
  const { code } = await transform(source, { ...OPTIONS, filename: path });
  // Other processes compile the same file at the same time and must never read half of it.
  const unfinished = new URL(randomUUID(), CACHE);
  writeFileSync(unfinished, code);
  renameSync(unfinished, kept);
  return code;
}
