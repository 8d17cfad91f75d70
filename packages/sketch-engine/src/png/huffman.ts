/** A prefix code: for each symbol its bits, in the order in which they are written, and how many they are. */
export interface PrefixCode {
  readonly bits: Uint16Array;
  readonly lengths: Uint8Array;
}

/**
 * The canonical Huffman code of deflate for symbols that occur `counts` times. Where it would be longer than `limit`, the
 * counts are halved until it is not. Integers only: the same code in every engine.
 */
export function prefixCode(counts: Uint32Array, limit: number): PrefixCode {
  for (let shift = 0; ; shift++) {
    const lengths = huffmanLengths(counts, shift);
    let longest = 0;
    for (const length of lengths) if (length > longest) longest = length;
    if (longest <= limit) return { lengths, bits: canonicalBits(lengths, limit) };
  }
}

function huffmanLengths(counts: Uint32Array, shift: number): Uint8Array {
  const lengths = new Uint8Array(counts.length);
  const weightOf = (symbol: number): number => Math.max(1, (counts[symbol] ?? 0) >>> shift);
  const leaves: number[] = [];
  counts.forEach((count, symbol) => {
    if (count > 0) leaves.push(symbol);
  });
  leaves.sort((a, b) => weightOf(a) - weightOf(b) || a - b);
  if (leaves.length === 1) lengths[leaves[0] ?? 0] = 1;
  if (leaves.length < 2) return lengths;
  // Nodes in the order of their weights: the leaves, and the pairs as they are made.
  const weights = leaves.map(weightOf);
  const parents: number[] = [];
  let [leaf, pair] = [0, leaves.length];
  const lightest = (): number => {
    const isLeaf = leaf < leaves.length && (pair >= weights.length || (weights[leaf] ?? 0) <= (weights[pair] ?? 0));
    return isLeaf ? leaf++ : pair++;
  };
  const last = 2 * leaves.length - 2;
  for (let made = leaves.length; made <= last; made++) {
    const [one, other] = [lightest(), lightest()];
    parents[one] = made;
    parents[other] = made;
    weights.push((weights[one] ?? 0) + (weights[other] ?? 0));
  }
  const depths = new Uint8Array(last + 1);
  for (let node = last - 1; node >= 0; node--) depths[node] = (depths[parents[node] ?? last] ?? 0) + 1;
  leaves.forEach((symbol, index) => {
    lengths[symbol] = depths[index] ?? 0;
  });
  return lengths;
}

/** Codes of one length count up, and longer codes continue after shorter ones; written from the highest bit on. */
function canonicalBits(lengths: Uint8Array, limit: number): Uint16Array {
  const bits = new Uint16Array(lengths.length);
  let code = 0;
  for (let length = 1; length <= limit; length++) {
    code <<= 1;
    for (let symbol = 0; symbol < lengths.length; symbol++)
      if (lengths[symbol] === length) bits[symbol] = reversed(code++, length);
  }
  return bits;
}

function reversed(code: number, length: number): number {
  let result = 0;
  for (let bit = 0; bit < length; bit++) result |= ((code >> bit) & 1) << (length - 1 - bit);
  return result;
}
