// The alpha of a picture as a smaller opaque picture of the same width: three values in the colours of each pixel.

const VALUES_PER_PIXEL = 3;

/** Rows of an RGB image that hold the alpha of `height` rows: three values a pixel. */
export function alphaRows(height: number): number {
  return Math.ceil(height / VALUES_PER_PIXEL);
}

/** Takes the alpha out of RGBA pixels, which are opaque afterwards. @param packed gets it, and is opaque as well */
export function packAlpha(pixels: Uint8ClampedArray, packed: Uint8ClampedArray): void {
  for (let from = 3, to = 0; from < pixels.length && to < packed.length; packed[to++] = 255)
    for (const end = to + VALUES_PER_PIXEL; to < end && from < pixels.length; to++, from += 4) {
      packed[to] = pixels[from] ?? 0;
      pixels[from] = 255;
    }
}

/** Puts the alpha back that `packAlpha` took out. */
export function unpackAlpha(packed: Uint8ClampedArray, pixels: Uint8ClampedArray): void {
  for (let from = 0, to = 3; to < pixels.length; from++)
    for (const end = from + VALUES_PER_PIXEL; from < end && to < pixels.length; from++, to += 4)
      pixels[to] = packed[from] ?? 0;
}
