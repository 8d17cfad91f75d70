import { sha256 } from '@cer/cer-core';
import { FALLBACK_FAMILY, FONT_ALIASES, type FontSource } from './fonts.js';
import { PORTABLE_VERSION, type EngineIdentity } from '../engine-identity.js';

/** The portable engine as one file, and what certificates state of it. */
export interface PackedEngine {
  readonly identity: EngineIdentity;
  /** The file, which `unpackEngine` reads in the realm that draws. */
  readonly bytes: Buffer;
}

/** The files of the engine besides its code. */
export interface EngineParts {
  readonly fonts: readonly FontSource[];
  readonly math: Uint8Array;
  /** Skia compiled to WebAssembly. */
  readonly skia: Uint8Array;
}

/** Puts Skia's module and the fonts into one file for the realm that draws. */
export function packEngine({ fonts, math, skia }: EngineParts): PackedEngine {
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
