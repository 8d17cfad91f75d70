import type { IncomingMessage, ServerResponse } from 'node:http';
import { ServiceError } from '../errors/service-error.js';

/** The client disconnected before its request was complete, so no answer is sent. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

export const NO_BODY = new Uint8Array(0);

/** Whether the head announces a body. */
export function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

/**
 * Refuses a body whose announced length is over the limit, before one byte of it is read.
 * @throws ServiceError PAYLOAD_TOO_LARGE
 */
export function refuseAnnouncedLength(request: IncomingMessage, limitBytes: number): void {
  if (Number(request.headers['content-length'] ?? '0') > limitBytes) throw tooLarge(limitBytes);
}

/** Bytes of a body that must arrive before room for all that it announces is reserved. */
const RESERVE_AFTER_BYTES = 1024 * 1024;

/**
 * Collects the pieces of a body. A large one is copied together while it arrives: joining 10 MB at its end would stop the
 * event loop for 10 ms and more.
 */
class ArrivingBody {
  readonly #announcedBytes: number;
  #chunks: Buffer[] = [];
  #size = 0;
  #whole: Buffer | undefined;

  /** @param announcedBytes NaN where no length within the limit is announced */
  constructor(announcedBytes: number) {
    this.#announcedBytes = announcedBytes;
  }

  add(chunk: Buffer): void {
    if (this.#whole === undefined) {
      this.#chunks.push(chunk);
      this.#size += chunk.length;
      if (this.#size < RESERVE_AFTER_BYTES || !(this.#announcedBytes >= this.#size)) return;
      // Not from Node's pool, so that a thread can take the memory over.
      this.#whole = Buffer.allocUnsafeSlow(this.#announcedBytes);
      Buffer.concat(this.#chunks, this.#size).copy(this.#whole);
      this.#chunks = [];
      return;
    }
    // The parser of HTTP passes no byte beyond the announced length.
    this.#size += chunk.copy(this.#whole, this.#size);
  }

  bytes(): Buffer {
    if (this.#whole !== undefined) return this.#whole.subarray(0, this.#size);
    const [only] = this.#chunks;
    return this.#chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.#chunks, this.#size);
  }
}

/**
 * Reads a whole body.
 * @param arrived called with the number of bytes as they arrive; its error ends the reading
 * @throws ServiceError PAYLOAD_TOO_LARGE as soon as the limit is passed
 * @throws ClientGone when the request is cut off
 */
export function readBody(
  request: IncomingMessage,
  limitBytes: number,
  arrived: (bytes: number) => void,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const announced = Number(request.headers['content-length'] ?? NaN);
    const body = new ArrivingBody(announced <= limitBytes ? announced : NaN);
    let size = 0;
    const settle = (): void => {
      request.off('data', take).off('end', finish).off('close', cut).off('error', cut);
    };
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      try {
        if (size > limitBytes) throw tooLarge(limitBytes);
        arrived(chunk.length);
        body.add(chunk);
      } catch (error) {
        settle();
        request.pause();
        reject(error instanceof Error ? error : new Error('the body was refused', { cause: error }));
      }
    };
    const finish = (): void => {
      settle();
      resolve(body.bytes());
    };
    const cut = (): void => {
      settle();
      reject(new ClientGone());
    };
    if (request.destroyed) reject(new ClientGone());
    else request.on('data', take).on('end', finish).on('close', cut).on('error', cut);
  });
}

/**
 * A body as it arrives. Leaving the loop early leaves the connection intact, so that the answer can still be sent.
 * Iterating throws ServiceError PAYLOAD_TOO_LARGE past the limit and ClientGone when the request is cut off.
 */
export async function* streamBody(request: IncomingMessage, limitBytes: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > limitBytes) throw tooLarge(limitBytes);
      yield chunk;
    }
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw new ClientGone('the request was cut off', { cause: error });
  }
  if (!request.complete) throw new ClientGone();
}

/** Sends 100 Continue to a client that waits for it. */
export function inviteBody({ headers }: IncomingMessage, response: ServerResponse): void {
  if (headers.expect?.toLowerCase() === '100-continue') response.writeContinue();
}

/** The refusal of a body over its limit. */
export function tooLarge(limitBytes: number): ServiceError<'PAYLOAD_TOO_LARGE'> {
  return new ServiceError({ code: 'PAYLOAD_TOO_LARGE', message: `body: must have at most ${limitBytes} bytes` });
}
