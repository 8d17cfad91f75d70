import { malformed } from '../tlog-error.js';

const LENGTH_BYTES = 2;
const MAX_ENTRY_BYTES = 0xffff;

/** Entries with their lengths before them, as a log serves them. @throws RangeError for an entry over 65,535 bytes */
export function encodeEntryBundle(entries: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(entries.reduce((length, entry) => length + LENGTH_BYTES + entry.length, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const entry of entries) {
    if (entry.length > MAX_ENTRY_BYTES) throw new RangeError('entry: must have at most 65535 bytes');
    view.setUint16(at, entry.length);
    bytes.set(entry, at + LENGTH_BYTES);
    at += LENGTH_BYTES + entry.length;
  }
  return bytes;
}

/** @throws TlogError MALFORMED when the bytes end within an entry */
export function decodeEntryBundle(bytes: Uint8Array): readonly Uint8Array[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const entries: Uint8Array[] = [];
  for (let at = 0; at < bytes.length;) {
    if (at + LENGTH_BYTES > bytes.length) throw malformed('entry bundle: ends within a length');
    const end = at + LENGTH_BYTES + view.getUint16(at);
    if (end > bytes.length) throw malformed('entry bundle: ends within an entry');
    entries.push(bytes.subarray(at + LENGTH_BYTES, end));
    at = end;
  }
  return entries;
}
