import { gunzipSync } from 'node:zlib';
import { JsonError, MAX_DEPTH, parseJson, type JsonValue } from '@cer/canonical-json';
import type { Finding } from '@cer/cer-core';
import { UsageError } from '../usage-error.js';
import { DEFAULT_MAX_BYTES, nameOf } from './read-bytes.js';

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
export function readStrictJson(read: Uint8Array, source: string, levelsAround = 0): StrictJson {
  const bytes = isGzip(read) ? unpacked(read, source) : read;
  if (ZIP_START.every((byte, at) => bytes[at] === byte)) {
    throw new UsageError(`${nameOf(source)}: is a ZIP archive: an audit package is checked with cer verify-package`);
  }
  if (isUtf16(bytes)) {
    throw new UsageError(
      `${nameOf(source)}: is UTF-16 text: save it as UTF-8 (in PowerShell: Out-File -Encoding utf8)`,
    );
  }
  try {
    return {
      value: parseJson(bytes, { maxDepth: MAX_DEPTH.text + levelsAround, skipsByteOrderMark: true }),
      fault: null,
    };
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    if (error.code === 'JSON_SYNTAX') throw new UsageError(`${nameOf(source)}: is ${error.rule}`);
    const detail = error.path === '' ? error.message : error.message.slice(error.path.length + 2);
    return { value: null, fault: { code: 'SCHEMA_ERROR', member: error.path, detail, reason: 'BUNDLE_CORRUPTED' } };
  }
}

function isGzip([first, second]: Uint8Array): boolean {
  return first === 0x1f && second === 0x8b;
}

/** A byte order mark of UTF-16, or two ASCII characters of two bytes each: JSON begins with ASCII. */
function isUtf16([first, second, third, fourth]: Uint8Array): boolean {
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return true;
  if (first === undefined || second === undefined || third === undefined || fourth === undefined) return false;
  const isWide = (high: number, low: number): boolean => high === 0 && low !== 0;
  return (isWide(first, second) && isWide(third, fourth)) || (isWide(second, first) && isWide(fourth, third));
}

/** @throws UsageError for what is not gzip, or unpacks to more than files may have */
function unpacked(bytes: Uint8Array, source: string): Uint8Array {
  try {
    return gunzipSync(bytes, { maxOutputLength: DEFAULT_MAX_BYTES });
  } catch {
    throw new UsageError(
      `${nameOf(source)}: is a gzip file that is damaged, or unpacks to over ${DEFAULT_MAX_BYTES} bytes`,
    );
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
