import type { Sha256Hash } from '@cer/cer-core';

/**
 * The portable engine by name and content: the same files draw the same pixels on any machine.
 * @see docs/spec.md, "Engines"
 */
export interface EngineIdentity {
  readonly name: 'portable';
  /** Of the drawing code around the modules, and of the PNG encoder; it changes whenever a picture would. */
  readonly version: string;
  /** Of Skia compiled to WebAssembly. */
  readonly wasmHash: Sha256Hash;
  /** Of the module that `Math` is made of. */
  readonly mathHash: Sha256Hash;
  /** Over the font files in order, and the names they go by. */
  readonly fontsHash: Sha256Hash;
}

/** Changes with every change that changes a pixel, or a byte of the PNG, of any sketch; probes.ts pins what it draws. */
export const PORTABLE_VERSION = '1.10.0';

/** The members of a certificate about the portable engine that drew it; they are not trusted. */
export interface NamedEngine {
  readonly version: unknown;
  readonly wasmHash: unknown;
  readonly mathHash: unknown;
  readonly fontsHash: unknown;
}
