import type { SqlRow } from './database.js';
import { StoreError } from '../ports/store-error.js';

/** A binary column, as plain bytes. */
export function bytes(row: SqlRow, column: string): Uint8Array {
  const value = row[column];
  if (!(value instanceof Uint8Array)) {
    throw new StoreError('STORE_UNAVAILABLE', `${column}: the database holds no bytes`);
  }
  return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
}

export function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
