import { zlibSync } from 'fflate';

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** Each row as its difference to the row above. */
const UP_FILTER = 2;
const LEVEL = 1;

/**
 * PNG of RGBA bytes, made by code of the page's own: the same bytes in every engine. Without transparency it has three
 * channels.
 */
export function encodePng(
  pixels: Uint8Array | Uint8ClampedArray,
  width: number,
  height: number,
): Uint8Array<ArrayBuffer> {
  const channels = hasAlpha(pixels) ? 4 : 3;
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  header.set([8, channels === 4 ? 6 : 2, 0, 0, 0], 8);
  const data = zlibSync(filtered(pixels, width, height, channels), { level: LEVEL });
  const parts = [chunk('IHDR', header), chunk('IDAT', data), chunk('IEND', new Uint8Array(0))];
  const png = new Uint8Array(SIGNATURE.length + parts.reduce((sum, part) => sum + part.length, 0));
  png.set(SIGNATURE);
  let at = SIGNATURE.length;
  for (const part of parts) {
    png.set(part, at);
    at += part.length;
  }
  return png;
}

function hasAlpha(pixels: Uint8Array | Uint8ClampedArray): boolean {
  for (let i = 3; i < pixels.length; i += 4) if (pixels[i] !== 255) return true;
  return false;
}

function filtered(pixels: Uint8Array | Uint8ClampedArray, width: number, height: number, channels: number): Uint8Array {
  const stride = width * 4;
  const rows = new Uint8Array(height * (width * channels + 1));
  let to = 0;
  for (let y = 0; y < height; y++) {
    rows[to++] = UP_FILTER;
    const row = y * stride;
    for (let x = row; x < row + stride; x += 4)
      for (let k = x; k < x + channels; k++) rows[to++] = (pixels[k] ?? 0) - (y === 0 ? 0 : (pixels[k - stride] ?? 0));
  }
  return rows;
}

function chunk(name: string, data: Uint8Array): Uint8Array {
  const made = new Uint8Array(data.length + 12);
  const view = new DataView(made.buffer);
  view.setUint32(0, data.length);
  for (let i = 0; i < 4; i++) made[4 + i] = name.charCodeAt(i);
  made.set(data, 8);
  view.setUint32(data.length + 8, crc(made.subarray(4, data.length + 8)));
  return made;
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

function crc(bytes: Uint8Array): number {
  let value = 0xffffffff;
  for (const byte of bytes) value = (CRC_TABLE[(value ^ byte) & 0xff] ?? 0) ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}
