import { ServiceError } from '../errors/service-error.js';
import { settleWithin } from '../limits/settle-within.js';

interface Arriving {
  /** How long nothing may come before the sender counts as gone. */
  readonly stallMs: number;
  /** Told of bytes before they are kept; what it throws ends the reading. */
  readonly count: (bytes: number) => void;
}

/**
 * Reads a streamed body whole, counting what has really come: to announce a body costs its sender nothing.
 * @throws ServiceError REQUEST_TIMEOUT when nothing comes for too long; what the body or `count` throws
 */
export async function arrivedBody(body: AsyncIterable<Uint8Array>, { stallMs, count }: Arriving): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  const reader: AsyncIterator<Uint8Array, unknown> = body[Symbol.asyncIterator]();
  for (;;) {
    const next = await settleWithin(reader.next(), stallMs, tooSlow);
    if (next.done === true) break;
    const chunk = next.value;
    count(chunk.length);
    chunks.push(chunk);
  }
  const [only] = chunks;
  return chunks.length === 1 && Buffer.isBuffer(only) ? only : Buffer.concat(chunks);
}

function tooSlow(): ServiceError {
  // Closed, or it would be kept for the rest of the body.
  const headers = { connection: 'close' };
  return new ServiceError({ code: 'REQUEST_TIMEOUT', message: 'body: must be sent faster', headers });
}
