export function pngPixels(png: Buffer): Buffer;
