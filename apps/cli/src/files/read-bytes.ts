import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { readBounded } from '@cer/ndjson';
import { printable } from '../printable.js';
import { UsageError } from '../usage-error.js';
import { faultCode } from './fault-code.js';

const MIB = 1024 * 1024;

/** Maximum size of a file without --max-bytes. */
export const DEFAULT_MAX_BYTES = 256 * MIB;

/** Maximum length of a string in the JavaScript engine. */
const ENGINE_MAX_BYTES = 512 * MIB - 24;

/** Advice where the flag of the command sets the limit; other limits are fixed. */
export const RAISES_LIMIT = ' (--max-bytes N raises the limit)';

/** How a source of bytes is named in messages; `-` is standard input. */
export function nameOf(source: string): string {
  if (source === '') return 'an empty file name';
  return source === '-' ? 'standard input' : printable(source);
}

/** @throws UsageError when the flag is not a readable number of bytes */
export function readMaxBytes(flag: string | undefined): number {
  if (flag === undefined) return DEFAULT_MAX_BYTES;
  const bytes = /^[1-9]\d{0,14}$/.test(flag) ? Number(flag) : Number.NaN;
  if (Number.isNaN(bytes)) throw new UsageError('--max-bytes: must be a whole number of bytes, at least 1');
  if (bytes > ENGINE_MAX_BYTES) throw new UsageError(`--max-bytes: must be at most ${ENGINE_MAX_BYTES} (512 MiB)`);
  return bytes;
}

/**
 * Reads a whole file, or standard input for `-`.
 * @param advice for a file over the limit, where there is any
 * @throws UsageError when it is missing, a directory, unreadable or larger than `maxBytes`; one line that names it
 */
export async function readBytes(
  source: string,
  stdin: AsyncIterable<Uint8Array>,
  maxBytes: number,
  advice = '',
): Promise<Uint8Array> {
  const limit: Limit = { maxBytes, advice };
  try {
    return source === '-' ? await collect(stdin, source, limit) : await readFileBytes(source, limit);
  } catch (error) {
    throw asUsageError(error, source);
  }
}

interface Limit {
  readonly maxBytes: number;
  readonly advice: string;
}

async function readFileBytes(path: string, limit: Limit): Promise<Uint8Array> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    if (size > limit.maxBytes) throw tooLarge(path, limit);
    // One read for a regular file; pipes and devices report size 0 and are read to their end, like files that grow.
    const first = new Uint8Array(size + 1);
    const { bytesRead } = await file.read(first, 0, first.length, null);
    if (bytesRead === size && size > 0) return first.subarray(0, size);
    return await collect(remaining(first.subarray(0, bytesRead), path, file.fd), path, limit);
  } finally {
    await file.close();
  }
}

async function* remaining(start: Uint8Array, path: string, fd: number): AsyncIterable<Uint8Array> {
  yield start;
  const rest: AsyncIterable<Uint8Array> = createReadStream(path, { fd, autoClose: false });
  yield* rest;
}

async function collect(chunks: AsyncIterable<Uint8Array>, source: string, limit: Limit): Promise<Uint8Array> {
  const bytes = await readBounded(chunks, limit.maxBytes);
  if (bytes === null) throw tooLarge(source, limit);
  return bytes;
}

function tooLarge(source: string, { maxBytes, advice }: Limit): UsageError {
  const limit = maxBytes % MIB === 0 ? `${maxBytes / MIB} MiB` : `${maxBytes} bytes`;
  return new UsageError(`${nameOf(source)}: is larger than ${limit}${advice}`);
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'no such file'],
  ['ENOTDIR', 'no such file'],
  ['EISDIR', 'is a directory, a file is expected'],
  ['EACCES', 'may not be read by this user'],
  ['EPERM', 'may not be read by this user'],
  ['ENAMETOOLONG', 'the name is too long'],
  ['ELOOP', 'is a link that leads to itself'],
]);

/** A file system fault as a one-line UsageError; any other error unchanged. */
export function asUsageError(error: unknown, source: string): unknown {
  const code = faultCode(error);
  if (code === null) return error;
  const reason = addressReason(code, source) ?? REASONS.get(code) ?? `cannot be read or written (${code})`;
  return new UsageError(`${nameOf(source)}: ${reason}`);
}

/** For a file that is missing because its name is an address or a hash; null for any other. */
function addressReason(code: string, source: string): string | null {
  if (code !== 'ENOENT' && code !== 'ENOTDIR') return null;
  if (/^sha256:[0-9a-f]{64}$/.test(source)) return 'no such file; by the hash, verify a record with cer verify --hash';
  if (/^https?:\/\//i.test(source)) return 'is an address, a file is expected';
  const isAddress = /^[a-z]+:\/\/|^[a-z0-9.-]+:\d{1,5}(\/|$)/i.test(source);
  return isAddress ? 'no such file; an address begins with http:// or https://' : null;
}

/** Every byte counts, a byte order mark too. @throws UsageError for bytes that are not UTF-8 */
export function decodeUtf8(bytes: Uint8Array, source: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new UsageError(`${nameOf(source)}: is not valid UTF-8`);
  }
}
