import { equalBytes, HASH_BYTES, hashWithPrefix } from '../merkle/hash.js';
import { hashText, jcsBytes } from '../leaf/leaf.js';
import { sha256 } from '@cer/keys';

/** One element of the map: 32 bytes each. */
export interface MapElement {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/** Where the path of a key ends, and the hashes from there to the root. */
export interface MapProof {
  /** From leaf to root; at most 256. */
  readonly siblings: readonly Uint8Array[];
  /** The element at the end of the path; null where that subtree is empty. */
  readonly end: MapElement | null;
}

/** The answer of a proof for a key. */
export type MapAnswer =
  | { readonly status: 'present'; readonly value: Uint8Array }
  | { readonly status: 'absent' }
  | { readonly status: 'invalid' };

const EMPTY_MAP_ROOT = new Uint8Array(HASH_BYTES);
const KEY_BITS = 256;

/** The head of a tenant's tree as the map holds it. */
export function tenantHeadValue({ size, root }: { readonly size: number; readonly root: Uint8Array }): Uint8Array {
  return sha256(jcsBytes({ root: hashText(root), size, type: 'svc.log-tenant-head.v1' }));
}

/** The root of the sparse map; 32 zero bytes for an empty one. @param elements with different keys of 32 bytes */
export function mapRoot(elements: readonly MapElement[]): Uint8Array {
  return rootFrom(sorted(elements), 0);
}

/** The proof that a key is in the map with its value, or is not in it. */
export function proveInMap(elements: readonly MapElement[], key: Uint8Array): MapProof {
  const siblings: Uint8Array[] = [];
  let rest = sorted(elements);
  for (let depth = 0; rest.length > 1; depth++) {
    const [zeros, ones] = splitAt(rest, depth);
    const [own, other] = bitOf(key, depth) === 0 ? [zeros, ones] : [ones, zeros];
    siblings.push(rootFrom(other, depth + 1));
    rest = own;
  }
  return { siblings: siblings.reverse(), end: rest[0] ?? null };
}

/** Checks a proof for a key under this root. */
export function readMapProof({ siblings, end }: MapProof, key: Uint8Array, root: Uint8Array): MapAnswer {
  const depth = siblings.length;
  if (depth > KEY_BITS || key.length !== HASH_BYTES) return { status: 'invalid' };
  const isEndOnPath = end === null || hasSamePrefix(end.key, key, depth);
  if (!isEndOnPath || siblings.some(({ length }) => length !== HASH_BYTES)) return { status: 'invalid' };
  const leaf = end === null ? EMPTY_MAP_ROOT : hashElement(end);
  const reached = siblings.reduce((hash, sibling, at) => {
    const [left, right] = bitOf(key, depth - 1 - at) === 0 ? [hash, sibling] : [sibling, hash];
    return hashWithPrefix(0x03, left, right);
  }, leaf);
  if (!equalBytes(reached, root)) return { status: 'invalid' };
  return end !== null && equalBytes(end.key, key) ? { status: 'present', value: end.value } : { status: 'absent' };
}

function rootFrom(elements: readonly MapElement[], depth: number): Uint8Array {
  const [first, ...more] = elements;
  if (first === undefined) return EMPTY_MAP_ROOT;
  if (more.length === 0) return hashElement(first);
  if (depth === KEY_BITS) throw new RangeError('map: two elements have one key');
  const [zeros, ones] = splitAt(elements, depth);
  return hashWithPrefix(0x03, rootFrom(zeros, depth + 1), rootFrom(ones, depth + 1));
}

function hashElement({ key, value }: MapElement): Uint8Array {
  return hashWithPrefix(0x02, key, value);
}

/** Sorted by key, so that every split by a bit is a cut. */
function sorted(elements: readonly MapElement[]): readonly MapElement[] {
  return [...elements].sort((one, other) => compareBytes(one.key, other.key));
}

function splitAt(elements: readonly MapElement[], depth: number): [readonly MapElement[], readonly MapElement[]] {
  let [low, high] = [0, elements.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const key = elements[middle]?.key;
    if (key !== undefined && bitOf(key, depth) === 0) low = middle + 1;
    else high = middle;
  }
  return [elements.slice(0, low), elements.slice(low)];
}

function compareBytes(one: Uint8Array, other: Uint8Array): number {
  for (let at = 0; at < HASH_BYTES; at++) {
    const difference = (one[at] ?? 0) - (other[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Bit 0 is the highest bit of byte 0. */
function bitOf(key: Uint8Array, bit: number): number {
  return ((key[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1;
}

function hasSamePrefix(one: Uint8Array, other: Uint8Array, bits: number): boolean {
  for (let bit = 0; bit < bits; bit++) if (bitOf(one, bit) !== bitOf(other, bit)) return false;
  return one.length === HASH_BYTES;
}
