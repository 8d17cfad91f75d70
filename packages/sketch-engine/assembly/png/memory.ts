// Where everything lies in the module's memory, in bytes. Nothing is freed: an encoder is used for one picture at a time.

/** Eight tables of the checksum of PNG, for eight bytes at a time. */
export const CRC_TABLES: usize = 4096;
/** Per match length 3 to 258: its symbol, its first length and its extra bits, four bytes each. */
export const LENGTHS: usize = CRC_TABLES + 8 * 1024;
/** Occurrences of each literal or length, and of each distance, then their codes: four bytes each. */
export const COUNTS: usize = LENGTHS + 259 * 4;
export const DISTANCE_COUNTS: usize = COUNTS + 288 * 4;
export const LENGTH_COUNTS: usize = DISTANCE_COUNTS + 32 * 4;
export const CODES: usize = LENGTH_COUNTS + 32 * 4;
export const DISTANCE_CODES: usize = CODES + 288 * 4;
export const LENGTH_CODES: usize = DISTANCE_CODES + 32 * 4;
/** Nodes of one Huffman tree: symbols in order, weights, parents, depths; four bytes each. */
export const LEAVES: usize = LENGTH_CODES + 32 * 4;
export const WEIGHTS: usize = LEAVES + 288 * 4;
export const PARENTS: usize = WEIGHTS + 576 * 4;
export const DEPTHS: usize = PARENTS + 576 * 4;
/** Tokens of the block that is being filled, two bytes each. */
export const TOKENS: usize = 32 * 1024;
/** Rows of the picture: the last one of the strip before, and a strip. */
export const STRIP: usize = TOKENS + 128 * 1024;

/** Grows the memory to `end` bytes. Traps where there is none. */
export function reserve(end: usize): void {
  const pages = <i32>((end + 0xffff) >> 16) - memory.size();
  if (pages > 0 && memory.grow(pages + (memory.size() >> 1)) < 0 && memory.grow(pages) < 0) unreachable();
}
