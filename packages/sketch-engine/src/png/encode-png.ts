import { isOpaque } from '../portable/alpha.js';
import { pictureData } from './picture-data.js';

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/**
 * PNG of RGBA bytes, made by code of the engine's own: the same bytes everywhere. Without transparency it has three
 * channels.
 */
export function encodePng(
  pixels: Uint8Array | Uint8ClampedArray,
  width: number,
  height: number,
): Uint8Array<ArrayBuffer> {
  const bytes = pixels.byteOffset % 4 === 0 ? pixels : pixels.slice();
  const channels = isOpaque(bytes) ? 3 : 4;
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  header.set([8, channels === 4 ? 6 : 2, 0, 0, 0], 8);
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, width * height);
  const data = pictureData(words, width, channels);
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
