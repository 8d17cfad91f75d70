import { sha256 } from '@cer/keys';
import { HASH_BYTES } from '../merkle/hash.js';

// HMAC-SHA-256 (RFC 2104) on the hash of the platform, which is native on Node.js. A new array for each block costs as
// much as its hash, so that padded keys and messages are put together in the same ones.

const BLOCK_BYTES = 64;
const SCRATCH_BYTES = 1024;

const inner = new Uint8Array(SCRATCH_BYTES);
const outer = new Uint8Array(BLOCK_BYTES + HASH_BYTES);
const message = inner.subarray(BLOCK_BYTES);
const beginnings: Uint8Array[] = [];
const UTF8 = new TextEncoder();

/** Sets the key of the next messages: a seed or salt. @throws RangeError for more than 64 bytes */
export function setKey(key: Uint8Array): void {
  if (key.length > BLOCK_BYTES) throw new RangeError('key: must have at most 64 bytes');
  // A plain loop: this runs three times for each leaf, and an iterator costs more than the hash.
  for (let at = 0; at < BLOCK_BYTES; at++) {
    const byte = key[at] ?? 0;
    inner[at] = byte ^ 0x36;
    outer[at] = byte ^ 0x5c;
  }
}

/** The HMAC of a message under the key that was set last. */
export function macOf(bytes: Uint8Array): Uint8Array {
  if (bytes.length <= message.length) {
    message.set(bytes);
    return outerOf(sha256(beginning(BLOCK_BYTES + bytes.length)));
  }
  const long = new Uint8Array(BLOCK_BYTES + bytes.length);
  long.set(beginning(BLOCK_BYTES));
  long.set(bytes, BLOCK_BYTES);
  return outerOf(sha256(long));
}

/** The HMAC of a text in UTF-8 under the key that was set last. */
export function macOfText(text: string): Uint8Array {
  const { read, written } = UTF8.encodeInto(text, message);
  return read < text.length ? macOf(UTF8.encode(text)) : outerOf(sha256(beginning(BLOCK_BYTES + written)));
}

/** SHA-256 of a text in UTF-8. */
export function sha256OfText(text: string): Uint8Array {
  const { read, written } = UTF8.encodeInto(text, inner);
  return sha256(read < text.length ? UTF8.encode(text) : beginning(written));
}

function outerOf(hash: Uint8Array): Uint8Array {
  outer.set(hash, BLOCK_BYTES);
  return sha256(outer);
}

/** The first bytes of `inner`: messages have a few lengths, and a view costs as much as a hash. */
function beginning(length: number): Uint8Array {
  return (beginnings[length] ??= inner.subarray(0, length));
}
