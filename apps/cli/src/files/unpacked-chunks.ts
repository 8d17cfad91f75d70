import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { UsageError } from '../usage-error.js';
import { faultCode } from './fault-code.js';
import { nameOf } from './read-bytes.js';
import { isGzip } from './read-json.js';

/**
 * The bytes of a file while it is read, unpacked where it is gzip.
 * @throws UsageError for gzip that is damaged or has other bytes behind its end
 * @see docs/spec.md, "Strict JSON"
 */
export async function* unpackedChunks(chunks: AsyncIterable<Uint8Array>, source: string): AsyncGenerator<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  let start: Uint8Array = new Uint8Array(0);
  while (start.length < 2) {
    const next = await iterator.next();
    if (next.done === true) break;
    start = Buffer.concat([start, next.value]);
  }
  const rest = { [Symbol.asyncIterator]: () => iterator };
  if (!isGzip(start)) {
    yield start;
    yield* rest;
    return;
  }
  let packed = 0;
  const counted = async function* (): AsyncGenerator<Uint8Array> {
    packed += start.length;
    yield start;
    for await (const chunk of rest) {
      packed += chunk.length;
      yield chunk;
    }
  };
  const gunzip = createGunzip();
  // Errors reach the reading below, because the pipeline destroys `gunzip` with them.
  pipeline(counted, gunzip, () => undefined);
  try {
    const unpacked: AsyncIterable<Uint8Array> = gunzip;
    yield* unpacked;
  } catch (error) {
    if (faultCode(error)?.startsWith('Z_') !== true) throw error;
    throw new UsageError(`${nameOf(source)}: is a gzip file that is damaged`);
  }
  // zlib takes zeros for padding, and leaves them and everything behind them unread.
  if (gunzip.bytesWritten === packed) return;
  throw new UsageError(`${nameOf(source)}: is a gzip file that has other bytes behind its end`);
}
