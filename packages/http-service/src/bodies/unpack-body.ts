import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { validationError } from '../errors/service-error.js';
import { ArrivingBody } from './arriving-body.js';
import { tooLarge } from './read-body.js';

/** The content codings that the router decodes. */
export const DECODED_CODINGS: readonly string[] = ['gzip'];

/**
 * The content of a gzip body as it arrives. Only the pieces being unpacked are in memory, however much they expand to.
 * Iterating throws ServiceError PAYLOAD_TOO_LARGE as soon as the unpacked bytes pass the limit, VALIDATION_ERROR for
 * bytes that are not gzip, end early or continue behind the end, and the errors of the packed body.
 */
export async function* unpackBody(
  packed: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  limitBytes: number,
): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip();
  let packedBytes = 0;
  const counted = async function* (): AsyncGenerator<Uint8Array> {
    for await (const chunk of packed) {
      packedBytes += chunk.length;
      yield chunk;
    }
  };
  // Errors reach the loop below, because the pipeline destroys `gunzip` with them.
  pipeline(counted, gunzip, () => undefined);
  let size = 0;
  try {
    const unpacked: AsyncIterable<Buffer> = gunzip;
    for await (const chunk of unpacked) {
      size += chunk.length;
      if (size > limitBytes) throw tooLarge(limitBytes);
      yield chunk;
    }
    // zlib takes zeros for padding, and leaves them and everything behind them unread.
    if (gunzip.bytesWritten !== packedBytes) throw validationError(['body: has bytes behind the end of its gzip']);
  } catch (error) {
    throw isZlibError(error) ? validationError(['body: is not valid gzip']) : error;
  } finally {
    gunzip.destroy();
  }
}

/** Reads an unpacked body whole. @param arrived called with the number of bytes before they are stored */
export async function collectBody(
  body: AsyncIterable<Uint8Array>,
  arrived: (bytes: number) => void = () => undefined,
): Promise<Uint8Array> {
  const arriving = new ArrivingBody(NaN);
  for await (const chunk of body) {
    arrived(chunk.length);
    arriving.add(chunk);
  }
  return arriving.whole();
}

function isZlibError(error: unknown): boolean {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && code.startsWith('Z_');
}
