interface PngModule extends WebAssembly.Exports {
  readonly memory: WebAssembly.Memory;
  readonly begin: (width: number, height: number, channels: number, rows: number) => number;
  readonly add: (rows: number) => number;
  readonly finish: () => number;
  readonly end: () => number;
}

/** Encodes RGBA bytes, rows from the top, as PNG. */
export type EncodePng = (
  pixels: Uint8Array | Uint8ClampedArray,
  width: number,
  height: number,
) => Uint8Array<ArrayBuffer>;

/** Bytes of a strip of rows, about: few enough for a processor's cache. */
const STRIP_BYTES = 1 << 18;

/**
 * Makes the engine's own encoder from dist/png.wasm: the same bytes everywhere. A picture without transparency has three
 * channels.
 */
export function pngEncoder(moduleBase64: string): EncodePng {
  const compiled = new WebAssembly.Module(Uint8Array.from(atob(moduleBase64), (character) => character.charCodeAt(0)));
  return (pixels, width, height) => {
    // A module's memory never shrinks: each picture has its own instance.
    const png = new WebAssembly.Instance(compiled).exports as PngModule;
    return encode(png, pixels, width, height, 3) ?? encode(png, pixels, width, height, 4) ?? new Uint8Array(0);
  };
}

/** @returns undefined where three channels are not enough */
function encode(
  png: PngModule,
  pixels: Uint8Array | Uint8ClampedArray,
  width: number,
  height: number,
  channels: 3 | 4,
): Uint8Array<ArrayBuffer> | undefined {
  const stride = width * 4;
  const rows = Math.max(1, Math.floor(STRIP_BYTES / stride));
  const strip = png.begin(width, height, channels, rows);
  for (let row = 0; row < height; row += rows) {
    const count = Math.min(rows, height - row);
    new Uint8Array(png.memory.buffer, strip).set(pixels.subarray(row * stride, (row + count) * stride));
    if (png.add(count) === 0) return undefined;
  }
  const from = png.finish();
  return new Uint8Array(png.memory.buffer.slice(from, png.end()));
}
