import { sha256, type Sha256Hash } from '@cer/cer-core';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { EngineIdentity, NamedEngine } from '../engine-identity.js';
import { readFonts } from './fonts.js';
import { readMathModule } from './math-module.js';
import { packEngine, type PackedEngine } from './pack-engine.js';

/** The engine of a certificate is not available here. The message says what is missing, and what to do about it. */
export class EngineNotFound extends Error {
  override readonly name = 'EngineNotFound';
}

/** The engine that is installed. */
export async function readInstalledEngine(): Promise<PackedEngine> {
  return packEngine({ fonts: readFonts(), math: await readMathModule(), skia: await readSkia() });
}

/** The installed module of Skia. */
export function readSkia(): Promise<Buffer> {
  return readFile(createRequire(import.meta.url).resolve('canvaskit-wasm/bin/canvaskit.wasm'));
}

/**
 * The module of Skia with a hash: the installed one, or `<64 hex digits>.wasm` of a folder.
 * @throws EngineNotFound where there is none, or its bytes have another hash
 */
async function findSkia(wasmHash: Sha256Hash, folder: string | undefined): Promise<Uint8Array> {
  const installed = await readSkia();
  if (sha256(installed) === wasmHash) return installed;
  const name = `${wasmHash.slice('sha256:'.length)}.wasm`;
  if (folder === undefined)
    throw new EngineNotFound(`the installed Skia module is another one: a folder of engines must have ${name}`);
  const kept = await readFile(join(folder, name)).catch(() => undefined);
  if (kept === undefined) throw new EngineNotFound(`the folder of engines has no ${name}`);
  if (sha256(kept) !== wasmHash) throw new EngineNotFound(`${name} of the folder of engines has another hash`);
  return kept;
}

const HASH = /^sha256:[0-9a-f]{64}$/;

/**
 * The portable engine that a certificate names, with the installed drawing code, Math and fonts, and the module of Skia
 * that the certificate names.
 * @param folder has older modules of Skia, named by their hashes
 * @throws EngineNotFound where one of them is another one
 * @see docs/spec.md, "Engines"
 */
export async function findEngine(named: NamedEngine, folder?: string): Promise<PackedEngine> {
  const { wasmHash } = named;
  if (typeof wasmHash !== 'string' || !HASH.test(wasmHash)) throw new EngineNotFound('engine.wasmHash is not a hash');
  const math = await readMathModule();
  const skia = await findSkia(wasmHash as Sha256Hash, folder);
  const packed = packEngine({ fonts: readFonts(), math, skia });
  assertInstalledParts(named, packed.identity);
  return packed;
}

/**
 * Compares the parts that only the installed engine has: drawing code, Math and fonts.
 * @throws EngineNotFound
 */
export function assertInstalledParts(named: NamedEngine, installed: EngineIdentity): void {
  for (const part of ['version', 'mathHash', 'fontsHash'] as const)
    if (named[part] !== installed[part])
      throw new EngineNotFound(
        `engine.${part} is another one than the installed engine has (version ${installed.version}): ` +
          'install the release that drew it',
      );
}
