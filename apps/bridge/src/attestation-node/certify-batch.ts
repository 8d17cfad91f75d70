import type { LineResult } from '@cer/client/node-client';
import type { Secret } from '@cer/http-service/config';
import { refusalOf, type Answered, type NodeConnection } from './connection.js';

/** The node's own limits of a batch. @see docs/spec.md, "POST /v1/cer/ai/certify-batch" */
export const MAX_BATCH_LINES = 500;
export const MAX_LINE_BYTES = 10 * 1024 * 1024;

/** The node's answer to one line: status and body of certify. */
export type LineAnswer = LineResult & Pick<Answered, 'retryAfterS'>;

/**
 * Has the node certify one request per line, under the customer's own key. Yields one answer per line, in order.
 * Ends early, by throwing SERVICE_UNAVAILABLE, when the node goes away; lines without an answer are safe to repeat.
 */
export async function* certifyLines(
  node: NodeConnection,
  key: Secret<string>,
  lines: readonly Uint8Array[],
  signal: AbortSignal | undefined,
): AsyncGenerator<LineAnswer> {
  try {
    yield* node.as(key).askLines('certifyBatch', lines, { signal });
  } catch (error) {
    const refusal = refusalOf(error);
    // The whole batch was refused: every line got the same answer.
    for (const index of lines.keys()) yield { index, ...refusal };
  }
}
