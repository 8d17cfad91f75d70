import type { EngineFiles } from './load.js';

interface Part {
  readonly at: number;
  readonly bytes: number;
}

/** The head of a package: where its parts lie, counted from the head's end. */
export interface PackageHead {
  readonly skia: Part;
  readonly fonts: readonly (Part & { readonly family: string; readonly isBold: boolean; readonly isItalic: boolean })[];
  readonly aliases: Readonly<Record<string, string>>;
  readonly fallback: string;
}

/** Reads what the service packs: the head's length in four bytes, little-endian, the head as JSON, the parts. */
export function unpackEngine(engine: ArrayBuffer): EngineFiles {
  const length = new DataView(engine).getUint32(0, true);
  // The head is ASCII, and some realms have no decoder.
  const head = JSON.parse(asciiOf(new Uint8Array(engine, 4, length))) as PackageHead;
  const part = ({ at, bytes }: Part): Uint8Array => new Uint8Array(engine, 4 + length + at, bytes);
  const { aliases, fallback } = head;
  const files = head.fonts.map(({ family, isBold, isItalic, ...where }) => ({
    family,
    isBold,
    isItalic,
    bytes: part(where),
  }));
  return { skia: part(head.skia), fonts: { files, aliases, fallback } };
}

function asciiOf(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}
