import { sha256 } from '@cer/keys';

/** Bytes of a SHA-256 digest. */
export const HASH_BYTES = 32;

/** The root of a tree without leaves: SHA-256 of nothing. */
export const EMPTY_ROOT: Uint8Array = sha256(new Uint8Array(0));

/**
 * The hash of a leaf: SHA-256 of 0x00 and the entry. The prefix keeps a node from being presented as a leaf.
 * @see RFC 6962, 2.1
 */
export function leafHash(entry: Uint8Array): Uint8Array {
  if (entry.length !== ENTRY_BYTES) return hashWithPrefix(0x00, entry);
  leaf.set(entry, 1);
  return sha256(leaf);
}

/** Entries of a node's log. */
const ENTRY_BYTES = 33;
/** A leaf and an inner node with their prefixes: a new array for each costs more than its hash. */
const leaf = new Uint8Array(1 + ENTRY_BYTES);
const node = Uint8Array.of(0x01, ...new Uint8Array(2 * HASH_BYTES));

/**
 * The hash of an inner node: SHA-256 of 0x01 and its two children.
 * @see RFC 6962, 2.1
 */
export function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  if (left.length !== HASH_BYTES || right.length !== HASH_BYTES) return hashWithPrefix(0x01, left, right);
  node.set(left, 1);
  node.set(right, 1 + HASH_BYTES);
  return sha256(node);
}

/** SHA-256 of one prefix byte and the parts in their order. */
export function hashWithPrefix(prefix: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(1 + parts.reduce((length, part) => length + part.length, 0));
  bytes[0] = prefix;
  let at = 1;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return sha256(bytes);
}

/** Byte equality; for public values, so not in constant time. */
export function equalBytes(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, at) => byte === right[at]);
}
