// Validates the WebAssembly modules that draw with an instruction set that has no SIMD, relaxed or not, and no threads:
// what is left computes the same on every machine. `--refuses-simd` checks the check on a module that has SIMD.
import binaryen from 'binaryen';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const { All, Atomics, RelaxedSIMD, SIMD128 } = binaryen.Features;
const DETERMINISTIC = All & ~(Atomics | RelaxedSIMD | SIMD128);
const WITH_SIMD = '(module (func (result v128) (i32x4.splat (i32.const 1))))';

const MODULES = {
  skia: () =>
    binaryen.readBinary(readFileSync(createRequire(import.meta.url).resolve('canvaskit-wasm/bin/canvaskit.wasm'))),
  math: () => binaryen.readBinary(readFileSync(join(import.meta.dirname, '..', 'dist', 'math.wasm'))),
};

const read = process.argv.includes('--refuses-simd') ? { control: () => binaryen.parseText(WITH_SIMD) } : MODULES;
for (const [name, open] of Object.entries(read)) {
  const module = open();
  module.setFeatures(DETERMINISTIC);
  if (!module.validate()) throw new Error(`${name} has instructions that machines may compute differently`);
  console.log(`${name}: no SIMD, no threads`);
}
