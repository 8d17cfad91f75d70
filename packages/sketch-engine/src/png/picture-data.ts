import { BitWriter } from './bit-writer.js';
import { DeflateBlocks } from './deflate-blocks.js';

/** Each row as its difference to the row above. */
const UP_FILTER = 2;
const ADLER = 65_521;

/**
 * The rows of a picture as a zlib stream (RFC 1950). Whole pixels are compared: equal to the one above, or as different
 * from it as the pixel before was. Nothing else is searched for, which is fast and finds what drawings have.
 * @param words RGBA, one little-endian word per pixel; signed, so that engines compute with integers
 * @param channels 3 leaves out the alpha
 */
export function pictureData(words: Int32Array, width: number, channels: 3 | 4): Uint8Array<ArrayBuffer> {
  const writer = new BitWriter();
  const blocks = new DeflateBlocks(writer);
  const mask = channels === 4 ? -1 : 0x00ffffff;
  // The checksum's two sums; a row is far from where a double loses digits.
  let [a, b] = [1, 0];
  writer.write(0x78, 8);
  writer.write(0x01, 8);
  for (let row = 0; row < words.length; row += width) {
    blocks.byte(UP_FILTER);
    a += UP_FILTER;
    b += a;
    let before = 0;
    for (let at = row; at < row + width;) {
      const start = at;
      at = endOfEqual(words, at, row + width, width, mask);
      if (at > start) {
        const bytes = (at - start) * channels;
        blocks.byte(0);
        blocks.repeat(1, bytes - 1, 0);
        b = (b + a * bytes) % ADLER;
        before = 0;
        continue;
      }
      const step = differenceAt(words, at, width, mask);
      if (step === before) {
        do at += 1;
        while (at < row + width && differenceAt(words, at, width, mask) === step);
        // Whole pixels of at least three bytes: nothing is too short.
        for (let left = (at - start) * channels; left > 0;) {
          const bytes = Math.min(left, 252);
          blocks.repeat(channels, bytes, 0);
          left -= bytes;
        }
      } else {
        at += 1;
        for (let shift = 0; shift < channels * 8; shift += 8) blocks.byte((step >>> shift) & 0xff);
      }
      for (let pixel = start; pixel < at; pixel++)
        for (let shift = 0; shift < channels * 8; shift += 8) {
          a += (step >>> shift) & 0xff;
          b += a;
        }
      before = step;
    }
    a %= ADLER;
    b %= ADLER;
  }
  blocks.end();
  writer.align();
  for (const sum of [b, a]) {
    writer.write(sum >>> 8, 8);
    writer.write(sum & 0xff, 8);
  }
  return writer.bytes();
}

/** Where the pixels from `at` on, before `end`, stop being those of the row above. */
function endOfEqual(words: Int32Array, at: number, end: number, width: number, mask: number): number {
  let next = at;
  if (at < width) while (next < end && ((words[next] ?? 0) & mask) === 0) next++;
  else while (next < end && (((words[next] ?? 0) ^ (words[next - width] ?? 0)) & mask) === 0) next++;
  return next;
}

/** The difference of each byte, modulo 256. */
function differenceAt(words: Int32Array, at: number, width: number, mask: number): number {
  const above = at < width ? 0 : (words[at - width] ?? 0);
  const word = words[at] ?? 0;
  const even = ((word | 0x01000100) - (above & 0x00ff00ff)) & 0x00ff00ff;
  const odd = ((word >>> 8) | 0x01000100) - ((above >>> 8) & 0x00ff00ff);
  return (((odd & 0x00ff00ff) << 8) | even) & mask;
}
