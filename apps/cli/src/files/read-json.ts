import { JsonError, MAX_DEPTH, parseJson, type JsonValue } from '@cer/canonical-json';
import type { Finding } from '@cer/cer-core';
import { UsageError } from '../usage-error.js';
import { nameOf } from './read-bytes.js';

/** JSON text as it was read, or the strict rule that it breaks. */
export type StrictJson =
  { readonly value: JsonValue; readonly fault: null } | { readonly value: null; readonly fault: Finding };

const ZIP_START = [0x50, 0x4b, 0x03, 0x04];

/**
 * Parses the input of a verification. Text that is not JSON at all is a mistake in the call; JSON that breaks a strict
 * rule is an ambiguous certificate.
 * @param levelsAround levels of JSON that the caller wrapped around the input
 * @throws UsageError for a JSON syntax error, and for a ZIP archive
 * @see docs/spec.md, "Strict JSON"
 */
export function readStrictJson(bytes: Uint8Array, source: string, levelsAround = 0): StrictJson {
  if (ZIP_START.every((byte, at) => bytes[at] === byte)) {
    throw new UsageError(`${nameOf(source)}: is a ZIP archive: an audit package is checked with cer verify-package`);
  }
  try {
    return { value: parseJson(bytes, { maxDepth: MAX_DEPTH.text + levelsAround }), fault: null };
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    if (error.code === 'JSON_SYNTAX') throw new UsageError(`${nameOf(source)}: is not valid JSON`);
    const detail = error.path === '' ? error.message : error.message.slice(error.path.length + 2);
    return { value: null, fault: { code: 'SCHEMA_ERROR', member: error.path, detail, reason: 'BUNDLE_CORRUPTED' } };
  }
}

/**
 * Parses a file that only serves the command, for example a key set: any fault in it is a mistake in the call.
 * @throws UsageError
 */
export function readOwnJson(bytes: Uint8Array, source: string): JsonValue {
  const { value, fault } = readStrictJson(bytes, source);
  if (fault !== null) throw new UsageError(`${nameOf(source)}: ${fault.detail}`);
  return value;
}
