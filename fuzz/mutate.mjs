// Changes of bytes, chosen by a seeded generator.

const INTERESTING = [0, 1, 0x0a, 0x1f, 0x20, 0x22, 0x2c, 0x30, 0x31, 0x39, 0x3a, 0x5c, 0x7f, 0x80, 0xa0, 0xc0, 0xff];

/** A generator of numbers below `limit` (xorshift32); the same seed gives the same numbers. */
export function createRandom(seed) {
  let state = seed | 1;
  return (limit) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % limit;
  };
}

/** @param {(limit: number) => number} random @param {readonly Buffer[]} others inputs to take pieces of */
export function mutate(input, others, dictionary, random, maxBytes) {
  let bytes = Buffer.from(input);
  for (let left = 1 + random(4); left > 0; left -= 1) bytes = change(bytes, others, dictionary, random);
  return bytes.subarray(0, maxBytes);
}

function change(bytes, others, dictionary, random) {
  const at = random(bytes.length + 1);
  const length = 1 + (random(3) === 0 ? random(64) : random(4));
  const insert = (piece) => Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at)]);
  const replace = (piece) => Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at + piece.length)]);
  switch (random(9)) {
    case 0:
      return bytes.length === 0 ? bytes : withByte(bytes, at, (byte) => byte ^ (1 << random(8)));
    case 1:
      return bytes.length === 0 ? bytes : withByte(bytes, at, () => INTERESTING[random(INTERESTING.length)]);
    case 2:
      return bytes.length === 0 ? bytes : withByte(bytes, at, (byte) => byte + random(9) - 4);
    case 3:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]);
    case 4:
      return insert(bytes.subarray(at, at + length));
    case 5:
      return insert(Buffer.from(Array.from({ length: Math.min(length, 8) }, () => random(256))));
    case 6: {
      const other = others[random(others.length)];
      const from = random(other.length + 1);
      const piece = other.subarray(from, from + length * 8);
      return random(2) === 0 ? insert(piece) : replace(piece);
    }
    case 7: {
      const word = Buffer.from(dictionary[random(dictionary.length)] ?? '');
      return random(2) === 0 ? insert(word) : replace(word);
    }
    default:
      return bytes.subarray(0, at);
  }
}

function withByte(bytes, at, next) {
  const changed = Buffer.from(bytes);
  const index = at % bytes.length;
  changed[index] = next(changed[index]) & 0xff;
  return changed;
}
