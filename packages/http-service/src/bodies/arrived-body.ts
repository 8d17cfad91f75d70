import { ServiceError } from '../errors/service-error.js';
import { settleWithin } from '../limits/settle-within.js';
import { ArrivingBody } from './arriving-body.js';

interface Arriving {
  /** Maximum pause of the sender, in milliseconds. */
  readonly stallMs: number;
  /** Bytes of the body where its length is known, else NaN. */
  readonly announcedBytes: number;
  /** Called with the number of bytes before they are stored; its error ends the reading. */
  readonly count: (bytes: number) => void;
}

/**
 * Reads a streamed body whole, counting received bytes: announcing a body costs its sender nothing.
 * @throws ServiceError REQUEST_TIMEOUT after too long a pause; errors of the body and of `count`
 */
export async function arrivedBody(body: AsyncIterable<Uint8Array>, arriving: Arriving): Promise<Buffer> {
  return (await arrivedPieces(body, arriving)).whole();
}

/** The same, without joining the pieces, which takes their memory once more. */
export async function arrivedPieces(
  body: AsyncIterable<Uint8Array>,
  { stallMs, announcedBytes, count }: Arriving,
): Promise<Pick<ArrivingBody, 'whole'>> {
  const arriving = new ArrivingBody(announcedBytes);
  const reader: AsyncIterator<Uint8Array, unknown> = body[Symbol.asyncIterator]();
  for (;;) {
    const next = await settleWithin(reader.next(), stallMs, tooSlow);
    if (next.done === true) return arriving;
    const piece = next.value;
    count(piece.length);
    arriving.add(piece);
  }
}

function tooSlow(): ServiceError {
  // Otherwise the connection would stay open for the rest of the body.
  const headers = { connection: 'close' };
  return new ServiceError({ code: 'REQUEST_TIMEOUT', message: 'body: must be sent faster', headers });
}
