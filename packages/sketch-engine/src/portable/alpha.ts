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

/** Divides colours by their alpha, rounding halves up, in place. */
export function unpremultiply(pixels: Uint8Array | Uint8ClampedArray): void {
  for (let i = 0; i < pixels.length; i += 4) {
    const alpha = pixels[i + 3] ?? 0;
    if (alpha === 255 || alpha === 0) continue;
    for (let k = i; k < i + 3; k++) {
      const value = Math.floor(((pixels[k] ?? 0) * 510 + alpha) / (2 * alpha));
      pixels[k] = value > 255 ? 255 : value;
    }
  }
}

/** Multiplies colours by their alpha, rounded to the nearest, in place. */
export function premultiply(pixels: Uint8Array | Uint8ClampedArray): void {
  for (let i = 0; i < pixels.length; i += 4) {
    const alpha = pixels[i + 3] ?? 0;
    if (alpha === 255) continue;
    for (let k = i; k < i + 3; k++) {
      const product = (pixels[k] ?? 0) * alpha + 128;
      pixels[k] = (product + (product >> 8)) >> 8;
    }
  }
}
