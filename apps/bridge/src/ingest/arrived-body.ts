import { ServiceError } from '@cer/http-service';
import type { Place } from './bytes-in-hand.js';

/**
 * Reads a body whole, counting what has really come.
 * @param stallMs how long nothing may come
 * @throws ServiceError REQUEST_TIMEOUT when nothing comes for too long, SERVICE_UNAVAILABLE when there is no room
 */
export async function arrivedBody(body: AsyncIterable<Uint8Array>, place: Place, stallMs: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  const reader: AsyncIterator<Uint8Array, unknown> = body[Symbol.asyncIterator]();
  for (;;) {
    const next = await withinTime(reader.next(), stallMs);
    if (next.done === true) return Buffer.concat(chunks);
    place.take(next.value.length);
    chunks.push(next.value);
  }
}

async function withinTime<T>(next: Promise<T>, ms: number): Promise<T> {
  let due: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    due = setTimeout(() => {
      // Closed, or it would be kept for the rest of the body.
      const headers = { connection: 'close' };
      reject(new ServiceError({ code: 'REQUEST_TIMEOUT', message: 'body: must be sent faster', headers }));
    }, ms);
  });
  try {
    return await Promise.race([next, late]);
  } finally {
    clearTimeout(due);
  }
}
