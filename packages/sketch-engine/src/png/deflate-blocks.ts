import type { BitWriter } from './bit-writer.js';
import { prefixCode } from './huffman.js';

/** Tokens that one block of deflate holds. */
const BLOCK_TOKENS = 1 << 16;
const MAX_MATCH = 258;
const MIN_MATCH = 3;
const END_OF_BLOCK = 256;
const LITERAL_SYMBOLS = 286;
const DISTANCE_SYMBOLS = 4;
const MAX_BITS = 15;
const MAX_LENGTH_BITS = 7;
/** In which order deflate states the lengths of the code for lengths. */
const LENGTH_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/** The symbol and the extra bits of every match length. */
const LENGTH_SYMBOLS = new Uint16Array(MAX_MATCH + 1);
const LENGTH_EXTRAS = new Uint8Array(MAX_MATCH + 1);
const LENGTH_BASES = new Uint16Array(MAX_MATCH + 1);
for (let symbol = 257, base = MIN_MATCH; symbol < 285; symbol++) {
  const extra = symbol < 265 ? 0 : (symbol - 261) >> 2;
  for (let length = base; length < base + (1 << extra) && length < MAX_MATCH; length++) {
    LENGTH_SYMBOLS[length] = symbol;
    LENGTH_EXTRAS[length] = extra;
    LENGTH_BASES[length] = base;
  }
  base += 1 << extra;
}
LENGTH_SYMBOLS[MAX_MATCH] = 285;
LENGTH_BASES[MAX_MATCH] = MAX_MATCH;

/** Bytes and repetitions as blocks of deflate with Huffman codes of their own (RFC 1951). */
export class DeflateBlocks {
  readonly #writer: BitWriter;
  /** A byte, or a match: its distance (1 to 4) times 512, and its length. */
  readonly #tokens = new Uint16Array(BLOCK_TOKENS);
  #count = 0;

  constructor(writer: BitWriter) {
    this.#writer = writer;
  }

  byte(value: number): void {
    if (this.#count === BLOCK_TOKENS) this.#writeBlock(false);
    this.#tokens[this.#count++] = value;
  }

  /** Repeats what was written `distance` bytes before, 1 to 4, for `bytes` bytes; what is too short must be `rest`. */
  repeat(distance: number, bytes: number, rest: number): void {
    let left = bytes;
    while (left >= MIN_MATCH) {
      const length = Math.min(left, MAX_MATCH);
      if (this.#count === BLOCK_TOKENS) this.#writeBlock(false);
      this.#tokens[this.#count++] = (distance << 9) | length;
      left -= length;
    }
    for (; left > 0; left--) this.byte(rest);
  }

  /** Writes the last block. */
  end(): void {
    this.#writeBlock(true);
  }

  #writeBlock(isLast: boolean): void {
    const tokens = this.#tokens.subarray(0, this.#count);
    const counts = new Uint32Array(LITERAL_SYMBOLS);
    const distances = new Uint32Array(DISTANCE_SYMBOLS);
    for (const token of tokens) {
      const symbol = token < 512 ? token : (LENGTH_SYMBOLS[token & 511] ?? 0);
      counts[symbol] = (counts[symbol] ?? 0) + 1;
      if (token >= 512) distances[(token >> 9) - 1] = (distances[(token >> 9) - 1] ?? 0) + 1;
    }
    counts[END_OF_BLOCK] = 1;
    if (distances.every((count) => count === 0)) distances[0] = 1;
    const [literal, distance] = [prefixCode(counts, MAX_BITS), prefixCode(distances, MAX_BITS)];
    const writer = this.#writer;
    writer.write(isLast ? 1 : 0, 1);
    writer.write(2, 2);
    this.#writeLengths([...literal.lengths, ...distance.lengths]);
    for (const token of tokens) {
      if (token < 512) {
        writer.write(literal.bits[token] ?? 0, literal.lengths[token] ?? 0);
        continue;
      }
      const length = token & 511;
      const symbol = LENGTH_SYMBOLS[length] ?? 0;
      writer.write(literal.bits[symbol] ?? 0, literal.lengths[symbol] ?? 0);
      writer.write(length - (LENGTH_BASES[length] ?? 0), LENGTH_EXTRAS[length] ?? 0);
      const code = (token >> 9) - 1;
      writer.write(distance.bits[code] ?? 0, distance.lengths[code] ?? 0);
    }
    writer.write(literal.bits[END_OF_BLOCK] ?? 0, literal.lengths[END_OF_BLOCK] ?? 0);
    this.#count = 0;
  }

  /** States the lengths of both codes one by one, in a code of their own. */
  #writeLengths(lengths: readonly number[]): void {
    const counts = new Uint32Array(LENGTH_ORDER.length);
    for (const length of lengths) counts[length] = (counts[length] ?? 0) + 1;
    const code = prefixCode(counts, MAX_LENGTH_BITS);
    this.#writer.write(LITERAL_SYMBOLS - 257, 5);
    this.#writer.write(DISTANCE_SYMBOLS - 1, 5);
    this.#writer.write(LENGTH_ORDER.length - 4, 4);
    for (const length of LENGTH_ORDER) this.#writer.write(code.lengths[length] ?? 0, 3);
    for (const length of lengths) this.#writer.write(code.bits[length] ?? 0, code.lengths[length] ?? 0);
  }
}
