// Lets a plain Node process load the sources as they are, of this workspace and of those it depends on, so that a test
// can kill one without a build before it.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { transformFile } from '@swc/core';

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
  const { code } = await transformFile(fileURLToPath(url), {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    module: { type: 'es6' },
    sourceMaps: 'inline',
  });
  return { format: 'module', source: code, shortCircuit: true };
}
