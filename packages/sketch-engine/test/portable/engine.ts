import { readInstalledEngine } from '../../src/files/find-engine.js';
import { unpackEngine } from '../../src/portable/engine-package.js';
import { loadPortableEngine, type MakePortableCanvas } from '../../src/portable/load.js';

/** The portable engine in this process, from the files that pages get. */
export async function loadEngine(): Promise<MakePortableCanvas> {
  const { bytes } = await readInstalledEngine();
  return loadPortableEngine(unpackEngine(Uint8Array.from(bytes).buffer));
}
