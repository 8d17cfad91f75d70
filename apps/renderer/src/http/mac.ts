import { jcsV1 } from '@cer/canonical-json';
import { sha256 } from '@cer/cer-core';
import {
  bearerKey,
  unauthorized,
  validationError,
  type ErrorShaper,
  type Handler,
  type RequestHead,
  type ServiceResponse,
} from '@cer/http-service';
import { equalSecret, type Secret } from '@cer/http-service/config';
import { createHmac } from 'node:crypto';

const NONCE_HEADER = 'x-render-nonce';
const MAC_HEADER = 'X-Render-Mac';

const NONCE = /^[A-Za-z0-9_-]{16,128}$/;

/** Refuses callers without the internal token. @throws ServiceError UNAUTHORIZED */
export function admitInternal(token: Secret<string>): (head: RequestHead) => Promise<void> {
  return async (head) => {
    if (!equalSecret(bearerKey(head), token.reveal())) throw unauthorized();
  };
}

/** @throws ServiceError VALIDATION_ERROR */
export function nonceOf({ headers }: Pick<RequestHead, 'headers'>): string {
  const nonce = headers[NONCE_HEADER] ?? '';
  if (!NONCE.test(nonce)) throw validationError([`${NONCE_HEADER}: must be 16 to 128 letters, digits, "-" or "_"`]);
  return nonce;
}

/** Binds an answer to the request it answers: a proxy between renderer and node cannot replace the picture. */
export interface AnswerMac {
  /** base64url HMAC-SHA-256 over canonical `{nonce, requestHash, responseHash}`, the hashes as `sha256:` + hex. */
  of(nonce: string, requestBody: Uint8Array, responseHash: `sha256:${string}`): string;
}

export function createAnswerMac(token: Secret<string>): AnswerMac {
  return {
    of(nonce, requestBody, responseHash) {
      const message = jcsV1.canonicalize({ nonce, requestHash: sha256(requestBody), responseHash });
      return createHmac('sha256', token.reveal()).update(message).digest('base64url');
    },
  };
}

/** Adds the MAC to every answer of a handler with a complete body, refusals included. */
export function withMac(mac: AnswerMac, shapeError: ErrorShaper, handler: Handler): Handler {
  return async (request) => {
    const nonce = nonceOf(request);
    const answer = await handler(request).catch((error: unknown) => {
      if (request.signal.aborted) throw error;
      return shapeError(error, request.requestId);
    });
    return signed(answer, nonce, request.body, mac);
  };
}

function signed(answer: ServiceResponse, nonce: string, requestBody: Uint8Array, mac: AnswerMac): ServiceResponse {
  const { body } = answer;
  // A streamed body ends with its own MAC.
  if (body !== null && typeof body !== 'string' && !(body instanceof Uint8Array)) return answer;
  return { ...answer, headers: { ...answer.headers, [MAC_HEADER]: mac.of(nonce, requestBody, sha256(body ?? '')) } };
}
