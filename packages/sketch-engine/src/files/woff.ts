import { inflateSync } from 'node:zlib';

/** The font file is not a WOFF 1.0 file. */
export class WoffError extends Error {
  override readonly name = 'WoffError';
}

const SIGNATURE = 0x774f4646;
const WOFF_HEADER_BYTES = 44;
const WOFF_ENTRY_BYTES = 20;
const SFNT_HEADER_BYTES = 12;
const SFNT_ENTRY_BYTES = 16;

/**
 * Unwraps a WOFF 1.0 font into the TrueType or OpenType file it carries, which is what fontconfig reads. Only zlib and
 * copying are involved, so the bytes are the same on every machine.
 * @throws WoffError for anything but a WOFF 1.0 file
 */
export function sfntFromWoff(woff: Buffer): Buffer {
  if (woff.length < WOFF_HEADER_BYTES || woff.readUInt32BE(0) !== SIGNATURE) throw new WoffError('not a WOFF 1.0 file');
  const tableCount = woff.readUInt16BE(12);
  const sfnt = Buffer.alloc(woff.readUInt32BE(16));
  const power = Math.floor(Math.log2(tableCount));
  sfnt.writeUInt32BE(woff.readUInt32BE(4), 0);
  sfnt.writeUInt16BE(tableCount, 4);
  sfnt.writeUInt16BE(2 ** power * 16, 6);
  sfnt.writeUInt16BE(power, 8);
  sfnt.writeUInt16BE((tableCount - 2 ** power) * 16, 10);

  let at = SFNT_HEADER_BYTES + tableCount * SFNT_ENTRY_BYTES;
  for (let index = 0; index < tableCount; index++) {
    const entry = WOFF_HEADER_BYTES + index * WOFF_ENTRY_BYTES;
    const offset = woff.readUInt32BE(entry + 4);
    const packedBytes = woff.readUInt32BE(entry + 8);
    const plainBytes = woff.readUInt32BE(entry + 12);
    const packed = woff.subarray(offset, offset + packedBytes);
    const plain = packedBytes < plainBytes ? inflateSync(packed) : packed;
    if (plain.length !== plainBytes) throw new WoffError('a table has another length than announced');
    const target = SFNT_HEADER_BYTES + index * SFNT_ENTRY_BYTES;
    woff.copy(sfnt, target, entry, entry + 4);
    woff.copy(sfnt, target + 4, entry + 16, entry + 20);
    sfnt.writeUInt32BE(at, target + 8);
    sfnt.writeUInt32BE(plainBytes, target + 12);
    plain.copy(sfnt, at);
    at += Math.ceil(plainBytes / 4) * 4;
  }
  return sfnt;
}
