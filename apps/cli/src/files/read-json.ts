import { gunzipSync } from 'node:zlib';
import { JsonError, MAX_DEPTH, parseJson, type JsonValue } from '@cer/canonical-json';
import type { Finding } from '@cer/cer-core';
import { isPng } from '@cer/cer-core/picture';
import { UsageError } from '../usage-error.js';
import { faultCode } from './fault-code.js';
import { DEFAULT_MAX_BYTES, nameOf, RAISES_LIMIT, readBytes } from './read-bytes.js';

/** JSON text as it was read, or the strict rule that it breaks. */
export type StrictJson =
  | { readonly value: JsonValue; readonly fault: null }
  | { readonly value: null; readonly fault: Finding };

export interface ReadOptions {
  /** Levels of JSON that the caller wrapped around the input. */
  readonly levelsAround?: number;
  /** Maximum size of an unpacked gzip file. */
  readonly maxBytes?: number;
  /** Advice for a file that unpacks to more, where there is any. */
  readonly advice?: string;
}

const ZIP_START = [0x50, 0x4b, 0x03, 0x04];

/** Formats that are not unpacked: their name, first bytes and program. */
const PACKED: readonly (readonly [string, readonly number[], string])[] = [
  // What is left after unpacking: packed twice.
  ['gzip', [0x1f, 0x8b], 'gunzip'],
  ['xz', [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00], 'xz -d'],
  ['bzip2', [0x42, 0x5a, 0x68], 'bunzip2'],
  ['Zstandard', [0x28, 0xb5, 0x2f, 0xfd], 'zstd -d'],
];

/**
 * Parses the input of a verification. Text that is not JSON at all is a mistake in the call; JSON that breaks a strict
 * rule is an ambiguous certificate.
 * @throws UsageError for a JSON syntax error, and for files of other formats
 * @see docs/spec.md, "Strict JSON"
 */
export function readStrictJson(
  read: Uint8Array,
  source: string,
  { levelsAround = 0, maxBytes = DEFAULT_MAX_BYTES, advice = '' }: ReadOptions = {},
): StrictJson {
  if (read.length === 0) throw new UsageError(`${nameOf(source)}: is empty`);
  const bytes = unpackedBytes(read, source, maxBytes, advice);
  if (ZIP_START.every((byte, at) => bytes[at] === byte)) {
    throw new UsageError(`${nameOf(source)}: is a ZIP archive: an audit package is checked with cer verify-package`);
  }
  if (isPng(bytes)) {
    const advice = 'cer verify checks the certificate that it carries';
    throw new UsageError(`${nameOf(source)}: is a picture (PNG), JSON is expected; ${advice}`);
  }
  const packed = PACKED.find(([, start]) => start.every((byte, at) => bytes[at] === byte));
  if (packed !== undefined) {
    const [name, , program] = packed;
    throw new UsageError(`${nameOf(source)}: is compressed with ${name}: unpack it first, with ${program}`);
  }
  return parseStrictJson(bytes, source, levelsAround);
}

/**
 * As `readStrictJson`, of JSON text by itself: nothing is unpacked.
 * @throws UsageError for a JSON syntax error
 */
export function parseStrictJson(bytes: Uint8Array, source: string, levelsAround = 0): StrictJson {
  try {
    return {
      value: parseJson(bytes, { maxDepth: MAX_DEPTH.text + levelsAround, skipsByteOrderMark: true }),
      fault: null,
    };
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    if (error.code === 'JSON_SYNTAX') throw new UsageError(`${nameOf(source)}: is ${error.rule}`);
    const { path: member, rule: detail } = error;
    return { value: null, fault: { code: 'SCHEMA_ERROR', member, detail, reason: 'BUNDLE_CORRUPTED' } };
  }
}

/** What zlib returns with `info`, which its types leave out. */
interface Unpacked {
  readonly buffer: Uint8Array;
  readonly engine: { readonly bytesWritten: number };
}

function isUnpacked(result: unknown): result is Unpacked {
  return typeof result === 'object' && result !== null && 'engine' in result;
}

export function isGzip([first, second]: Uint8Array): boolean {
  return first === 0x1f && second === 0x8b;
}

/** The content of a file, unpacked where it is gzip. @throws UsageError when it is damaged, or larger than `maxBytes` */
export function unpackedBytes(bytes: Uint8Array, source: string, maxBytes: number, advice = ''): Uint8Array {
  if (!isGzip(bytes)) return bytes;
  try {
    const result: unknown = gunzipSync(bytes, { maxOutputLength: maxBytes, info: true });
    if (isUnpacked(result) && result.engine.bytesWritten === bytes.length) return result.buffer;
  } catch (error) {
    const fault =
      faultCode(error) === 'ERR_BUFFER_TOO_LARGE' ? `unpacks to over ${maxBytes} bytes${advice}` : 'is damaged';
    throw new UsageError(`${nameOf(source)}: is a gzip file that ${fault}`);
  }
  // zlib takes zeros for padding, and leaves them and everything behind them unread.
  throw new UsageError(`${nameOf(source)}: is a gzip file that has other bytes behind its end`);
}

/** Reads the input of a verification from a file, or from standard input for `-`. @throws UsageError */
export async function readStrictFile(
  source: string,
  stdin: AsyncIterable<Uint8Array>,
  maxBytes: number,
  advice = RAISES_LIMIT,
): Promise<StrictJson> {
  return readStrictJson(await readBytes(source, stdin, maxBytes, advice), source, { maxBytes, advice });
}

/**
 * Parses a file that only serves the command, for example a key set: any fault in it is a mistake in the call.
 * @throws UsageError
 */
export function readOwnJson(bytes: Uint8Array, source: string, options: ReadOptions = {}): JsonValue {
  const { value, fault } = readStrictJson(bytes, source, options);
  if (fault !== null) throw new UsageError(`${nameOf(source)}: ${fault.detail}`);
  return value;
}
