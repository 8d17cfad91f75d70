import { readFile } from 'node:fs/promises';

/** The WebAssembly module that encodes pictures; `npm run build` compiles it from assembly/png. */
export function readPngModule(): Promise<Buffer> {
  return readFile(new URL('../../dist/png.wasm', import.meta.url));
}
