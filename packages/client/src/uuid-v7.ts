/** The hex digits of each byte. */
const HEX: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
/** The bytes that a hyphen precedes. */
const AFTER_HYPHEN: ReadonlySet<number> = new Set([4, 6, 8, 10]);

/** Random bytes are drawn for many ids at once: each draw costs as much as the rest of an id. */
const pool = new Uint8Array(16 * 128);
let used = pool.length;

function randomBytes(): Uint8Array {
  if (used === pool.length) {
    crypto.getRandomValues(pool);
    used = 0;
  }
  used += 16;
  return pool.slice(used - 16, used);
}

/**
 * A UUID version 7: its first 48 bits are the time, the others random.
 * @param now milliseconds since 1970
 * @see RFC 9562, 5.7
 */
export function uuidV7(now: number): string {
  const bytes = randomBytes();
  const view = new DataView(bytes.buffer);
  view.setUint16(0, Math.floor(now / 2 ** 32));
  view.setUint32(2, now % 2 ** 32);
  view.setUint8(6, (view.getUint8(6) & 0x0f) | 0x70);
  view.setUint8(8, (view.getUint8(8) & 0x3f) | 0x80);
  let text = '';
  for (let at = 0; at < bytes.length; at += 1) {
    text += (AFTER_HYPHEN.has(at) ? '-' : '') + (HEX[bytes[at] ?? 0] ?? '');
  }
  return text;
}
