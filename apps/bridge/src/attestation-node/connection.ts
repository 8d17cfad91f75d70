import { unavailable } from '@cer/http-service';
import { createNodeClient, NodeError, type NodeApi } from '@cer/client/node-client';
import { nodeTransport } from '@cer/client/node-transport';
import type { JsonObject } from '@cer/canonical-json';
import type { Secret } from '@cer/http-service/config';

/** Maximum silence of the node, in milliseconds; after it the node counts as gone. */
const SILENCE_MS = 30_000;
const MAX_CONNECTIONS = 64;
/** Maximum bytes of an answer, or of one line of it: a certificate with signals can be several times its request. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** Connections to the attestation node that stay open from request to request. */
export interface NodeConnection {
  /**
   * The node for a customer with this key; without a key, its public routes. Only the transport sends anything again:
   * an item without an `executionId` must not be certified twice.
   */
  as(key?: Secret<string>): NodeApi;
  close(): void;
}

/** @param nodeUrl `http://...` or `https://...` */
export function connectToNode(nodeUrl: string): NodeConnection {
  const transport = nodeTransport({ maxConnections: MAX_CONNECTIONS });
  const options = { nodeUrl, transport, timeoutMs: SILENCE_MS, retries: 0, maxAnswerBytes: MAX_ANSWER_BYTES };
  return {
    as: (key) => createNodeClient({ ...options, ...(key !== undefined && { apiKey: key.reveal() }) }),
    close: () => {
      transport.close();
    },
  };
}

export function nodeUnavailable(cause?: unknown): Error {
  return unavailable('The attestation node cannot be reached now: retry', cause);
}

/** The answer of the node: 200, or a refusal. */
export interface Answered {
  readonly status: number;
  /** Empty when the answer is not a JSON object. */
  readonly body: JsonObject;
  /** The node's Retry-After, in seconds. */
  readonly retryAfterS?: number;
}

/** @throws ServiceError SERVICE_UNAVAILABLE when the node cannot be reached, falls silent or breaks off */
export async function answered(asked: Promise<JsonObject>): Promise<Answered> {
  try {
    return { status: 200, body: await asked };
  } catch (error) {
    return refusalOf(error);
  }
}

/** The refusal that the client threw. @throws ServiceError SERVICE_UNAVAILABLE when the node did not answer */
export function refusalOf(error: unknown): Answered {
  if (!(error instanceof NodeError) || error.status === null || error.code === 'ANSWER_TOO_LARGE') {
    throw nodeUnavailable(error);
  }
  const { status, answer, retryAfterMs } = error;
  const later = retryAfterMs !== null && retryAfterMs > 0 ? { retryAfterS: Math.ceil(retryAfterMs / 1000) } : {};
  return { status, body: answer ?? {}, ...later };
}
