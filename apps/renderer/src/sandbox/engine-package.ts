import { sha256, type Sha256Hash } from '@cer/cer-core';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { FALLBACK_FAMILY, FONT_ALIASES, type FontSource } from '../browser/fonts.js';

/** The engine by name and content: the same files draw the same pixels on any machine. */
export interface EngineIdentity {
  readonly name: 'portable';
  /** Of the drawing code around the modules; it changes whenever a picture would. */
  readonly version: string;
  /** Of Skia compiled to WebAssembly. */
  readonly wasmHash: Sha256Hash;
  /** Of the module that `Math` is made of. */
  readonly mathHash: Sha256Hash;
  /** Over the font files in order, and the names they go by. */
  readonly fontsHash: Sha256Hash;
}

/** Changes with every change of the drawing code that changes a pixel of any sketch. */
const PORTABLE_VERSION = '1.0.0';

export interface PackedEngine {
  readonly identity: EngineIdentity;
  /** As the page unpacks it. */
  readonly bytes: Buffer;
}

/** Puts Skia's module and the fonts into one file for the page. */
export async function packEngine(fonts: readonly FontSource[], math: Uint8Array): Promise<PackedEngine> {
  const skia = await readFile(createRequire(import.meta.url).resolve('canvaskit-wasm/bin/canvaskit.wasm'));
  let at = skia.length;
  const files = fonts.map(({ family, isBold, isItalic, bytes }) => {
    const file = { family: family.toLowerCase(), isBold, isItalic, at, bytes: bytes.length };
    at += bytes.length;
    return file;
  });
  const names = { fonts: files, aliases: FONT_ALIASES, fallback: FALLBACK_FAMILY };
  const head = Buffer.from(JSON.stringify({ skia: { at: 0, bytes: skia.length }, ...names }));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(head.length);
  const described = files.map(({ family, isBold, isItalic, bytes }) => ({ family, isBold, isItalic, bytes }));
  const fontNames = JSON.stringify({ files: described, aliases: FONT_ALIASES, fallback: FALLBACK_FAMILY });
  return {
    identity: {
      name: 'portable',
      version: PORTABLE_VERSION,
      wasmHash: sha256(skia),
      mathHash: sha256(math),
      fontsHash: sha256(Buffer.concat([Buffer.from(fontNames), ...fonts.map(({ bytes }) => bytes)])),
    },
    bytes: Buffer.concat([length, head, skia, ...fonts.map(({ bytes }) => bytes)]),
  };
}
