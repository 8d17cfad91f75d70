import { makeRoom, writeBits } from './bits';
import { prefixCode } from './huffman';
import { CODES, COUNTS, DISTANCE_CODES, DISTANCE_COUNTS, LENGTH_CODES, LENGTH_COUNTS, LENGTHS, TOKENS } from './memory';

// Bytes and repetitions as blocks of deflate with their own Huffman codes (RFC 1951).

/** Tokens that one block of deflate holds. */
const BLOCK_TOKENS: u32 = 1 << 16;
/** The most bytes that a token and the head of a block become. */
const TOKEN_BYTES: usize = 6;
const HEAD_BYTES: usize = 1024;
const MAX_MATCH: u32 = 258;
const MIN_MATCH: u32 = 3;
const END_OF_BLOCK: usize = 256;
const LITERAL_SYMBOLS: u32 = 286;
const DISTANCE_SYMBOLS: u32 = 4;
const LENGTH_SYMBOLS: u32 = 19;
const MAX_BITS: u32 = 15;
const MAX_LENGTH_BITS: u32 = 7;
/** In which order deflate states the lengths of the code for lengths. */
const LENGTH_ORDER = memory.data<u8>([16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]);

/** A token is a byte, or a match: its distance (1 to 4) times 512, and its length. */
let tokens: u32 = 0;

/** The symbol, the first length and the extra bits of every match length. */
export function fillLengths(): void {
  let base: u32 = MIN_MATCH;
  for (let symbol: u32 = 257; symbol < 285; symbol++) {
    const extra: u32 = symbol < 265 ? 0 : (symbol - 261) >> 2;
    for (let length = base; length < base + (1 << extra) && length < MAX_MATCH; length++)
      store<u32>(LENGTHS + (length << 2), symbol | (base << 9) | (extra << 18));
    base += 1 << extra;
  }
  store<u32>(LENGTHS + (MAX_MATCH << 2), 285 | (MAX_MATCH << 9));
}

export function beginBlocks(): void {
  tokens = 0;
}

export function writeLiteral(value: u32): void {
  if (tokens === BLOCK_TOKENS) writeBlock(0);
  store<u16>(TOKENS + (tokens++ << 1), <u16>value);
}

/** Writes the first three or four bytes of a word, lowest first. */
export function writePixel(value: u32, bytes: u32): void {
  if (tokens + 4 > BLOCK_TOKENS) {
    for (let shift: u32 = 0; shift < bytes << 3; shift += 8) writeLiteral((value >>> shift) & 0xff);
    return;
  }
  const at = TOKENS + (tokens << 1);
  store<u16>(at, <u16>(value & 0xff));
  store<u16>(at, <u16>((value >>> 8) & 0xff), 2);
  store<u16>(at, <u16>((value >>> 16) & 0xff), 4);
  store<u16>(at, <u16>(value >>> 24), 6);
  tokens += bytes;
}

/** Repeats the bytes written `distance` before, 1 to 4, for `bytes` bytes; a rest that is too short is zeros. */
export function repeat(distance: u32, bytes: u32): void {
  let left = bytes;
  while (left >= MIN_MATCH) {
    const length = min(left, MAX_MATCH);
    writeLiteral((distance << 9) | length);
    left -= length;
  }
  for (; left > 0; left--) writeLiteral(0);
}

/** Writes the remaining tokens as the last block. */
export function endBlocks(): void {
  writeBlock(1);
}

function writeBlock(isLast: u32): void {
  makeRoom(<usize>tokens * TOKEN_BYTES + HEAD_BYTES);
  countSymbols();
  prefixCode(COUNTS, LITERAL_SYMBOLS, MAX_BITS, CODES);
  prefixCode(DISTANCE_COUNTS, DISTANCE_SYMBOLS, MAX_BITS, DISTANCE_CODES);
  writeBits(isLast, 1);
  writeBits(2, 2);
  writeLengths();
  for (let i: u32 = 0; i < tokens; i++) {
    const token: u32 = load<u16>(TOKENS + (i << 1));
    if (token < 512) {
      writeCode(CODES, token);
      continue;
    }
    const length = token & 511;
    const row = load<u32>(LENGTHS + (length << 2));
    writeCode(CODES, row & 511);
    writeBits(length - ((row >>> 9) & 511), row >>> 18);
    writeCode(DISTANCE_CODES, (token >>> 9) - 1);
  }
  writeCode(CODES, <u32>END_OF_BLOCK);
  tokens = 0;
}

function countSymbols(): void {
  memory.fill(COUNTS, 0, LITERAL_SYMBOLS << 2);
  memory.fill(DISTANCE_COUNTS, 0, DISTANCE_SYMBOLS << 2);
  for (let i: u32 = 0; i < tokens; i++) {
    const token: u32 = load<u16>(TOKENS + (i << 1));
    if (token < 512) {
      countOne(COUNTS, token);
      continue;
    }
    countOne(COUNTS, load<u32>(LENGTHS + ((token & 511) << 2)) & 511);
    countOne(DISTANCE_COUNTS, (token >>> 9) - 1);
  }
  store<u32>(COUNTS + (END_OF_BLOCK << 2), 1);
  let matches: u32 = 0;
  for (let i: u32 = 0; i < DISTANCE_SYMBOLS; i++) matches += load<u32>(DISTANCE_COUNTS + (i << 2));
  if (matches === 0) store<u32>(DISTANCE_COUNTS, 1);
}

function countOne(counts: usize, symbol: u32): void {
  const at = counts + (symbol << 2);
  store<u32>(at, load<u32>(at) + 1);
}

function writeCode(codes: usize, symbol: u32): void {
  const code = load<u32>(codes + (symbol << 2));
  writeBits(code & 0xffff, code >>> 16);
}

/** States the lengths of both codes one by one, in a separate code. */
function writeLengths(): void {
  memory.fill(LENGTH_COUNTS, 0, LENGTH_SYMBOLS << 2);
  for (let i: u32 = 0; i < LITERAL_SYMBOLS; i++) countOne(LENGTH_COUNTS, lengthOf(CODES, i));
  for (let i: u32 = 0; i < DISTANCE_SYMBOLS; i++) countOne(LENGTH_COUNTS, lengthOf(DISTANCE_CODES, i));
  prefixCode(LENGTH_COUNTS, LENGTH_SYMBOLS, MAX_LENGTH_BITS, LENGTH_CODES);
  writeBits(LITERAL_SYMBOLS - 257, 5);
  writeBits(DISTANCE_SYMBOLS - 1, 5);
  writeBits(LENGTH_SYMBOLS - 4, 4);
  for (let i: u32 = 0; i < LENGTH_SYMBOLS; i++) writeBits(lengthOf(LENGTH_CODES, load<u8>(LENGTH_ORDER + i)), 3);
  for (let i: u32 = 0; i < LITERAL_SYMBOLS; i++) writeCode(LENGTH_CODES, lengthOf(CODES, i));
  for (let i: u32 = 0; i < DISTANCE_SYMBOLS; i++) writeCode(LENGTH_CODES, lengthOf(DISTANCE_CODES, i));
}

function lengthOf(codes: usize, symbol: u32): u32 {
  return load<u32>(codes + (symbol << 2)) >>> 16;
}
