import { readFonts } from '../../src/browser/fonts.js';
import { loadPortableEngine, type MakePortableCanvas } from '../../src/runtime/portable/load.js';
import { unpackEngine } from '../../src/runtime/portable/engine-package.js';
import { packEngine } from '../../src/sandbox/engine-package.js';
import { readMathModule } from '../../src/sandbox/math-module.js';

/** The portable engine in this process, from the files that pages get. */
export async function loadEngine(): Promise<MakePortableCanvas> {
  const { bytes } = await packEngine(readFonts(), await readMathModule());
  return loadPortableEngine(unpackEngine(Uint8Array.from(bytes).buffer));
}
