import { ServiceError } from '@cer/http-service';

interface Arriving {
  /** How long nothing may come before the sender counts as gone. */
  readonly stallMs: number;
  /** Told of bytes before they are kept; what it throws ends the reading. */
  readonly count: (bytes: number) => void;
}

/**
 * Reads a body whole, counting what has really come: to announce a body costs its sender nothing.
 * @throws ServiceError REQUEST_TIMEOUT when nothing comes for too long; what the body or `count` throws
 */
export async function arrivedBody(body: AsyncIterable<Uint8Array>, { stallMs, count }: Arriving): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  const reader: AsyncIterator<Uint8Array, unknown> = body[Symbol.asyncIterator]();
  for (;;) {
    const next = await withinTime(reader.next(), stallMs);
    if (next.done === true) break;
    const chunk = next.value;
    count(chunk.length);
    chunks.push(chunk);
  }
  const [only] = chunks;
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks);
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
