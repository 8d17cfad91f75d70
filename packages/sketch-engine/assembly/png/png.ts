import {
  align,
  beginOutput,
  crc,
  fillCrcTables,
  makeRoom,
  outputEnd,
  outputStart,
  storeWord,
  writeBits,
  writeByte,
  writeWord,
} from './bits';
import { beginBlocks, endBlocks, fillLengths, repeat, writeLiteral, writePixel } from './deflate';
import { reserve, STRIP } from './memory';

// A PNG of RGBA pixels, given in strips of rows: the same bytes on every machine. Each row is written as its difference to
// the row above. Whole pixels are compared: equal to the one above, or as different from it as the pixel before was.
// Nothing else is searched for, which is fast and finds what drawings have.

const SIGNATURE = memory.data<u8>([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const UP_FILTER: u32 = 2;
const ADLER: u64 = 65_521;
const IHDR: u32 = 0x49484452;
const IDAT: u32 = 0x49444154;
const IEND: u32 = 0x49454e44;
/** Bytes of the longest run of pixels that one token writes: whole pixels of three and of four bytes. */
const RUN_BYTES: u32 = 252;
const ROOM: usize = 256;

let width: u32 = 0;
let channels: u32 = 0;
let data: usize = 0;
/** The checksum's two sums, over a row at most. */
let a: u64 = 1;
let b: u64 = 0;
let areFilled = false;

/**
 * Begins a picture.
 * @param pictureChannels 3 leaves out the alpha
 * @param rows at most, of one strip
 * @returns where the rows of a strip go
 */
export function begin(pictureWidth: u32, height: u32, pictureChannels: u32, rows: u32): usize {
  if (!areFilled) {
    fillCrcTables();
    fillLengths();
    areFilled = true;
  }
  width = pictureWidth;
  channels = pictureChannels;
  const output = STRIP + (((<usize>rows + 1) * width) << 2) + 64;
  reserve(output);
  memory.fill(STRIP, 0, width << 2);
  beginOutput(output);
  beginBlocks();
  makeRoom(ROOM);
  for (let i = 0; i < 8; i++) writeByte(load<u8>(SIGNATURE + i));
  writeWord(13);
  const header = outputEnd();
  writeWord(IHDR);
  writeWord(width);
  writeWord(height);
  writeByte(8);
  writeByte(channels === 4 ? 6 : 2);
  for (let i = 0; i < 3; i++) writeByte(0);
  writeWord(crc(header, outputEnd()));
  writeWord(0);
  data = outputEnd();
  writeWord(IDAT);
  writeBits(0x78, 8);
  writeBits(0x01, 8);
  a = 1;
  b = 0;
  return STRIP + (width << 2);
}

/**
 * Encodes the rows of a strip.
 * @returns 0 where a picture of three channels has a pixel with transparency: it must begin again with four
 */
export function add(rows: u32): u32 {
  const stride = (<usize>width) << 2;
  if (channels === 3 && !isOpaque(STRIP + stride, STRIP + stride * (rows + 1))) return 0;
  for (let row: usize = 1; row <= rows; row++) addRow(STRIP + stride * row, stride);
  memory.copy(STRIP, STRIP + stride * rows, stride);
  return 1;
}

/** @returns where the file is; it ends at the end that `end` reports */
export function finish(): usize {
  endBlocks();
  makeRoom(ROOM);
  align();
  writeByte(<u32>b >>> 8);
  writeByte(<u32>b & 0xff);
  writeByte(<u32>a >>> 8);
  writeByte(<u32>a & 0xff);
  storeWord(data - 4, <u32>(outputEnd() - data - 4));
  writeWord(crc(data, outputEnd()));
  writeWord(0);
  const tail = outputEnd();
  writeWord(IEND);
  writeWord(crc(tail, outputEnd()));
  return outputStart();
}

export function end(): usize {
  return outputEnd();
}

function addRow(row: usize, stride: usize): void {
  const end = row + stride;
  const mask: u32 = channels === 4 ? 0xffffffff : 0x00ffffff;
  writeLiteral(UP_FILTER);
  a += UP_FILTER;
  b += a;
  let before: u32 = 0;
  let at = row;
  while (at < end) {
    const from = at;
    at = endOfEqual(at, end, stride, mask);
    if (at > from) {
      const bytes = <u32>((at - from) >> 2) * channels;
      writeLiteral(0);
      repeat(1, bytes - 1);
      b += a * bytes;
      before = 0;
      continue;
    }
    const step = differenceAt(at, stride, mask);
    at += 4;
    if (step === before) {
      while (at < end && differenceAt(at, stride, mask) === step) at += 4;
      for (let left = <u32>((at - from) >> 2) * channels; left > 0;) {
        const bytes = min(left, RUN_BYTES);
        repeat(channels, bytes);
        left -= bytes;
      }
    } else writePixel(step, channels);
    addToSums(step, <u64>((at - from) >> 2));
    before = step;
  }
  a %= ADLER;
  b %= ADLER;
}

/** Adds `count` equal pixels to the checksum. */
function addToSums(step: u32, count: u64): void {
  const first = <u64>(step & 0xff);
  const second = <u64>((step >>> 8) & 0xff);
  const third = <u64>((step >>> 16) & 0xff);
  let once: u64;
  let own: u64;
  if (channels === 4) {
    const fourth = <u64>(step >>> 24);
    once = first + second + third + fourth;
    own = 4 * first + 3 * second + 2 * third + fourth;
  } else {
    once = first + second + third;
    own = 3 * first + 2 * second + third;
  }
  // Each pixel adds the sum before it, once per byte.
  b += count * (own + channels * a) + ((channels * once * count * (count - 1)) >> 1);
  a += once * count;
}

/** Where the pixels from `at` on, before `end`, stop being those of the row above. */
function endOfEqual(at: usize, end: usize, stride: usize, mask: u32): usize {
  let next = at;
  const masks = i32x4.splat(mask);
  while (next + 16 <= end && !v128.any_true(v128.and(v128.xor(v128.load(next), v128.load(next - stride)), masks)))
    next += 16;
  while (next < end && ((load<u32>(next) ^ load<u32>(next - stride)) & mask) === 0) next += 4;
  return next;
}

/** The difference of each byte of a pixel to the one above, modulo 256. */
function differenceAt(at: usize, stride: usize, mask: u32): u32 {
  const word = load<u32>(at);
  const above = load<u32>(at - stride);
  const even = ((word & 0x00ff00ff) | 0x01000100) - (above & 0x00ff00ff);
  const odd = (((word >>> 8) & 0x00ff00ff) | 0x01000100) - ((above >>> 8) & 0x00ff00ff);
  return (((odd & 0x00ff00ff) << 8) | (even & 0x00ff00ff)) & mask;
}

function isOpaque(from: usize, to: usize): bool {
  let all = i32x4.splat(-1);
  let at = from;
  for (; at + 16 <= to; at += 16) all = v128.and(all, v128.load(at));
  let one =
    i32x4.extract_lane(all, 0) & i32x4.extract_lane(all, 1) & i32x4.extract_lane(all, 2) & i32x4.extract_lane(all, 3);
  for (; at < to; at += 4) one &= load<u32>(at);
  return one >>> 24 === 0xff;
}
