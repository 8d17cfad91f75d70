// Validates the WebAssembly modules with an instruction set that has no relaxed SIMD and no threads: what is left computes
// the same on every machine. The modules that were pinned without any SIMD are held to that. `--refuses` tests the
// check itself on modules that it must refuse.
import binaryen from 'binaryen';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const { All, Atomics, RelaxedSIMD, SIMD128 } = binaryen.Features;
const FIXED_SIMD = All & ~(Atomics | RelaxedSIMD);
const NO_SIMD = FIXED_SIMD & ~SIMD128;
const CONTROLS = {
  simd: [NO_SIMD, '(module (func (result v128) (i32x4.splat (i32.const 1))))'],
  relaxed: [FIXED_SIMD, '(module (func (param v128) (result v128) (f32x4.relaxed_min (local.get 0) (local.get 0))))'],
  threads: [FIXED_SIMD, '(module (memory 1 1 shared) (func (result i32) (i32.atomic.load (i32.const 0))))'],
};
const MODULES = {
  skia: [NO_SIMD, createRequire(import.meta.url).resolve('canvaskit-wasm/bin/canvaskit.wasm')],
  math: [NO_SIMD, join(import.meta.dirname, '..', 'dist', 'math.wasm')],
  png: [FIXED_SIMD, join(import.meta.dirname, '..', 'dist', 'png.wasm')],
};

function isValid(module, features) {
  module.setFeatures(features);
  return Boolean(module.validate());
}

if (process.argv.includes('--refuses')) {
  for (const [name, [features, text]] of Object.entries(CONTROLS))
    console.log(`${name}: ${isValid(binaryen.parseText(text), features) ? 'accepted' : 'refused'}`);
} else
  for (const [name, [features, path]] of Object.entries(MODULES)) {
    if (!isValid(binaryen.readBinary(readFileSync(path)), features))
      throw new Error(`${name} has instructions that machines may compute differently`);
    console.log(`${name}: no ${features === NO_SIMD ? '' : 'relaxed '}SIMD, no threads`);
  }
