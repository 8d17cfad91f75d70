/** @returns whether every pixel has full alpha: its premultiplied bytes are then the pixel itself */
export function isOpaque(pixels: Uint8Array | Uint8ClampedArray): boolean {
  const words = new Uint32Array(pixels.buffer, pixels.byteOffset, pixels.length / 4);
  const step = 8192;
  for (let at = 0; at < words.length; at += step) {
    let all = 0xff000000;
    const end = Math.min(at + step, words.length);
    for (let i = at; i < end; i++) all &= words[i] ?? 0;
    if (all >>> 24 !== 0xff) return false;
  }
  return true;
}

/** Made when first needed. */
let quotients: Uint8Array | undefined;

/** Rounds halves up. */
function makeQuotients(): Uint8Array {
  const made = new Uint8ClampedArray(256 * 256);
  for (let alpha = 1; alpha < 256; alpha++)
    for (let value = 0; value < 256; value++)
      made[alpha * 256 + value] = Math.floor((value * 510 + alpha) / (2 * alpha));
  return new Uint8Array(made.buffer);
}

/**
 * Divides colours by their alpha, in place.
 * @param divided per alpha and premultiplied value: the value; rounded, halves up, by default
 */
export function unpremultiply(pixels: Uint8Array | Uint8ClampedArray, divided?: Uint8Array): void {
  if (isOpaque(pixels)) return;
  const table = divided ?? (quotients ??= makeQuotients());
  const words = new Uint32Array(pixels.buffer, pixels.byteOffset, pixels.length / 4);
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? 0;
    const alpha = word >>> 24;
    if (alpha === 255 || alpha === 0) continue;
    const row = alpha << 8;
    const red = table[row | (word & 255)] ?? 0;
    const green = table[row | ((word >>> 8) & 255)] ?? 0;
    const blue = table[row | ((word >>> 16) & 255)] ?? 0;
    words[i] = (word & 0xff000000) | (blue << 16) | (green << 8) | red;
  }
}

/** Multiplies colours by their alpha, rounded to the nearest, in place. */
export function premultiply(pixels: Uint8Array | Uint8ClampedArray): void {
  if (isOpaque(pixels)) return;
  for (let i = 0; i < pixels.length; i += 4) {
    const alpha = pixels[i + 3] ?? 0;
    if (alpha === 255) continue;
    for (let k = i; k < i + 3; k++) {
      const product = (pixels[k] ?? 0) * alpha + 128;
      pixels[k] = (product + (product >> 8)) >> 8;
    }
  }
}
