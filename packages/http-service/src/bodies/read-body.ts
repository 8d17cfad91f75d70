import type { IncomingMessage, ServerResponse } from 'node:http';
import { ServiceError } from '../errors/service-error.js';
import { ArrivingBody } from './arriving-body.js';

/** The client disconnected before its request was complete, so no answer is sent. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

export const NO_BODY = new Uint8Array(0);

/** Bytes of one body that are taken in a turn of the event loop: Node.js would take 2 MiB, and keep others waiting. */
const TURN_BYTES = 256 * 1024;

/** Whether the head announces a body. */
export function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

/** The length of a body by its head; NaN where that names none. */
export function announcedBytes({ headers }: IncomingMessage): number {
  return Number(headers['content-length'] ?? NaN);
}

/**
 * Refuses a body whose announced length is over the limit, before one byte of it is read.
 * @throws ServiceError PAYLOAD_TOO_LARGE
 */
export function refuseAnnouncedLength(request: IncomingMessage, limitBytes: number): void {
  if (Number(request.headers['content-length'] ?? '0') > limitBytes) throw tooLarge(limitBytes);
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
    const announced = announcedBytes(request);
    // The parser of HTTP passes no byte beyond the announced length.
    const body = new ArrivingBody(announced <= limitBytes ? announced : NaN);
    let size = 0;
    let pausesAt = TURN_BYTES;
    let isSettled = false;
    const settle = (): void => {
      isSettled = true;
      request.off('data', take).off('end', finish).off('close', cut).off('error', cut);
    };
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      try {
        if (size > limitBytes) throw tooLarge(limitBytes);
        arrived(chunk.length);
        body.add(chunk);
        if (size >= pausesAt) leaveTurn();
      } catch (error) {
        settle();
        request.pause();
        reject(error instanceof Error ? error : new Error('the body was refused', { cause: error }));
      }
    };
    const leaveTurn = (): void => {
      pausesAt = size + TURN_BYTES;
      request.pause();
      setImmediate(() => {
        if (!isSettled) request.resume();
      });
    };
    const finish = (): void => {
      settle();
      resolve(body.whole());
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
    const chunks: AsyncIterable<Buffer> = request.iterator({ destroyOnReturn: false });
    for await (const chunk of chunks) {
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
