import { CRC_TABLES, reserve } from './memory';

let start: usize = 0;
let end: usize = 0;
let held: u64 = 0;
let count: u64 = 0;

/** Begins the output at an address. */
export function beginOutput(at: usize): void {
  start = at;
  end = at;
  held = 0;
  count = 0;
}

export function outputStart(): usize {
  return start;
}

export function outputEnd(): usize {
  return end;
}

/** Makes room for `bytes` more bytes. */
export function makeRoom(bytes: usize): void {
  reserve(end + bytes + 8);
}

/** Writes bits, lowest first; `length` is at most 16. */
export function writeBits(bits: u32, length: u32): void {
  held |= (<u64>bits) << count;
  count += length;
  if (count >= 32) {
    store<u32>(end, <u32>held);
    end += 4;
    held >>= 32;
    count -= 32;
  }
}

/** Fills the last byte with zeros. */
export function align(): void {
  for (; count > 0; count = count > 8 ? count - 8 : 0) {
    store<u8>(end++, <u8>held);
    held >>= 8;
  }
}

/** The output must be aligned. */
export function writeByte(value: u32): void {
  store<u8>(end++, <u8>value);
}

/** Highest byte first; the output must be aligned. */
export function writeWord(value: u32): void {
  storeWord(end, value);
  end += 4;
}

export function storeWord(at: usize, value: u32): void {
  store<u32>(at, bswap(value));
}

export function fillCrcTables(): void {
  for (let byte: u32 = 0; byte < 256; byte++) {
    let value = byte;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
    store<u32>(CRC_TABLES + (byte << 2), value);
  }
  for (let table: u32 = 1; table < 8; table++)
    for (let byte: u32 = 0; byte < 256; byte++) {
      const before = load<u32>(CRC_TABLES + ((((table - 1) << 8) + byte) << 2));
      store<u32>(CRC_TABLES + (((table << 8) + byte) << 2), entry(0, before & 0xff) ^ (before >>> 8));
    }
}

function entry(table: u32, byte: u32): u32 {
  return load<u32>(CRC_TABLES + (((table << 8) + byte) << 2));
}

/** The checksum of PNG over bytes of the output. */
export function crc(from: usize, to: usize): u32 {
  let value: u32 = 0xffffffff;
  let at = from;
  for (; at + 8 <= to; at += 8) {
    const low = value ^ load<u32>(at);
    const high = load<u32>(at + 4);
    value =
      entry(7, low & 0xff) ^
      entry(6, (low >>> 8) & 0xff) ^
      entry(5, (low >>> 16) & 0xff) ^
      entry(4, low >>> 24) ^
      entry(3, high & 0xff) ^
      entry(2, (high >>> 8) & 0xff) ^
      entry(1, (high >>> 16) & 0xff) ^
      entry(0, high >>> 24);
  }
  for (; at < to; at++) value = entry(0, (value ^ load<u8>(at)) & 0xff) ^ (value >>> 8);
  return value ^ 0xffffffff;
}
