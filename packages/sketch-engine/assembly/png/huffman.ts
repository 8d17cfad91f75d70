import { DEPTHS, LEAVES, PARENTS, WEIGHTS } from './memory';

// A code is one word per symbol: its bits in the order in which they are written, and how many they are times 65,536.

/**
 * The canonical Huffman code of deflate for symbols that occur as often as `counts` has. Where it would be longer than
 * `limit`, the counts are halved until it is not.
 */
export function prefixCode(counts: usize, symbols: u32, limit: u32, codes: usize): void {
  for (let shift: u32 = 0; codeLengths(counts, symbols, shift, codes) > limit; shift++);
  let code: u32 = 0;
  for (let length: u32 = 1; length <= limit; length++) {
    code <<= 1;
    for (let symbol: u32 = 0; symbol < symbols; symbol++)
      if (load<u32>(codes + (symbol << 2)) === length) {
        store<u32>(codes + (symbol << 2), (length << 16) | reversed(code, length));
        code++;
      }
  }
}

/** @returns the longest length; writes the length of each symbol, 0 for one that does not occur */
function codeLengths(counts: usize, symbols: u32, shift: u32, lengths: usize): u32 {
  memory.fill(lengths, 0, symbols << 2);
  const leaves = sortLeaves(counts, symbols, shift);
  if (leaves === 1) store<u32>(lengths + (load<u32>(LEAVES) << 2), 1);
  if (leaves < 2) return leaves;
  // Nodes in the order of their weights: the leaves, and the pairs as they are made.
  let leaf: u32 = 0;
  let pair: u32 = leaves;
  const last: u32 = 2 * leaves - 2;
  for (let made = leaves; made <= last; made++) {
    let weight: u32 = 0;
    for (let child = 0; child < 2; child++) {
      const isLeaf =
        leaf < leaves && (pair >= made || load<u32>(WEIGHTS + (leaf << 2)) <= load<u32>(WEIGHTS + (pair << 2)));
      const node = isLeaf ? leaf++ : pair++;
      store<u32>(PARENTS + (node << 2), made);
      weight += load<u32>(WEIGHTS + (node << 2));
    }
    store<u32>(WEIGHTS + (made << 2), weight);
  }
  store<u32>(DEPTHS + (last << 2), 0);
  let longest: u32 = 0;
  for (let node = <i32>last - 1; node >= 0; node--) {
    const depth = load<u32>(DEPTHS + (load<u32>(PARENTS + (node << 2)) << 2)) + 1;
    store<u32>(DEPTHS + (node << 2), depth);
    if (<u32>node >= leaves) continue;
    store<u32>(lengths + (load<u32>(LEAVES + (node << 2)) << 2), depth);
    if (depth > longest) longest = depth;
  }
  return longest;
}

/** Symbols that occur, by their weights and then in their order. @returns how many they are */
function sortLeaves(counts: usize, symbols: u32, shift: u32): u32 {
  let leaves: u32 = 0;
  for (let symbol: u32 = 0; symbol < symbols; symbol++) {
    const occurs = load<u32>(counts + (symbol << 2));
    if (occurs === 0) continue;
    const weight = max(occurs >>> shift, 1);
    let at = leaves++;
    for (; at > 0 && load<u32>(WEIGHTS + ((at - 1) << 2)) > weight; at--) {
      store<u32>(WEIGHTS + (at << 2), load<u32>(WEIGHTS + ((at - 1) << 2)));
      store<u32>(LEAVES + (at << 2), load<u32>(LEAVES + ((at - 1) << 2)));
    }
    store<u32>(WEIGHTS + (at << 2), weight);
    store<u32>(LEAVES + (at << 2), symbol);
  }
  return leaves;
}

function reversed(code: u32, length: u32): u32 {
  let result: u32 = 0;
  for (let bit: u32 = 0; bit < length; bit++) result |= ((code >>> bit) & 1) << (length - 1 - bit);
  return result;
}
