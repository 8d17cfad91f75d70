import { CerError } from '../errors.js';

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** Length, type and CRC of a chunk, in bytes. */
const CHUNK_FRAME = 12;
/** Maximum chunks of a picture. */
const MAX_CHUNKS = 65_536;

/** One chunk of a PNG. */
export interface PngChunk {
  readonly type: string;
  /** Its first byte in the file, that of its length. */
  readonly start: number;
  /** The byte after its CRC. */
  readonly end: number;
  readonly data: Uint8Array;
}

/** Whether bytes begin as a PNG does. */
export function isPng(bytes: Uint8Array): boolean {
  return SIGNATURE.every((byte, at) => bytes[at] === byte);
}

/**
 * The chunks of a PNG, from IHDR to IEND. Nothing is unpacked, and CRCs are not checked.
 * @throws CerError SCHEMA_ERROR when the chunks do not fill the file exactly
 */
export function pngChunks(png: Uint8Array): PngChunk[] {
  if (!isPng(png)) throw pictureFault('is not a PNG');
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength);
  const chunks: PngChunk[] = [];
  let at = SIGNATURE.length;
  while (at < png.length) {
    if (chunks.length === MAX_CHUNKS) throw pictureFault(`has more than ${MAX_CHUNKS} chunks`);
    if (png.length - at < CHUNK_FRAME) throw pictureFault('ends within a chunk');
    const length = view.getUint32(at);
    if (length > png.length - at - CHUNK_FRAME) throw pictureFault('has a chunk that is longer than the file');
    const end = at + CHUNK_FRAME + length;
    chunks.push({ type: typeAt(png, at + 4), start: at, end, data: png.subarray(at + 8, end - 4) });
    at = end;
  }
  const places = { IHDR: 0, IEND: chunks.length - 1 };
  for (const [type, place] of Object.entries(places)) {
    if (chunks.filter((chunk) => chunk.type === type).length !== 1 || chunks[place]?.type !== type)
      throw pictureFault(`must have one ${type} chunk, ${type === 'IHDR' ? 'the first' : 'the last'}`);
  }
  return chunks;
}

/** @throws CerError SCHEMA_ERROR when the CRC of a chunk is another one */
export function assertCrc(png: Uint8Array, { start, end, type }: PngChunk): void {
  const stated = new DataView(png.buffer, png.byteOffset + end - 4, 4).getUint32(0);
  if (stated !== crc32(png.subarray(start + 4, end - 4))) throw pictureFault(`has an ${type} chunk with a wrong CRC`);
}

/** A chunk with its length and CRC. */
export function pngChunk(type: string, data: Uint8Array): Uint8Array<ArrayBuffer> {
  const chunk = new Uint8Array(data.length + CHUNK_FRAME);
  const view = new DataView(chunk.buffer);
  view.setUint32(0, data.length);
  for (let index = 0; index < 4; index++) chunk[4 + index] = type.charCodeAt(index);
  chunk.set(data, 8);
  view.setUint32(data.length + 8, crc32(chunk.subarray(4, data.length + 8)));
  return chunk;
}

/** The parts of a file, one after the other. */
export function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

export function pictureFault(rule: string): CerError {
  return new CerError('SCHEMA_ERROR', '', `the picture ${rule}`);
}

function typeAt(png: Uint8Array, at: number): string {
  return String.fromCharCode(...png.subarray(at, at + 4));
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

/** CRC-32 as PNG and zlib have it. */
function crc32(bytes: Uint8Array): number {
  let value = 0xffffffff;
  for (const byte of bytes) value = (CRC_TABLE[(value ^ byte) & 0xff] ?? 0) ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}
