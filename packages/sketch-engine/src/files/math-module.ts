import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

const MODULE = new URL('../../dist/math.wasm', import.meta.url);
const PINNED = new URL('../../math-module.json', import.meta.url);

/**
 * The WebAssembly module that `Math` of a sketch is made of; `npm run build` compiles it from assembly/math.ts.
 * @throws Error when it is missing or has another digest than the pinned one
 */
export async function readMathModule(): Promise<Buffer> {
  const { sha256 } = JSON.parse(await readFile(PINNED, 'utf8')) as { readonly sha256: string };
  const module = await readFile(MODULE);
  if (createHash('sha256').update(module).digest('hex') !== sha256)
    throw new Error('dist/math.wasm is not the pinned module: run "npm run build"');
  return module;
}
