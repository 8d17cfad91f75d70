import { isJsonObject, member, type JsonObject, type JsonValue } from '@cer/canonical-json';
import type { Secret } from '@cer/http-service/config';
import { byteLines } from '@cer/ndjson';
import { answerText, nodeUnavailable, type NodeAnswer, type NodeConnection } from './connection.js';

/** The node's own limits of a batch. @see docs/spec.md, "POST /v1/cer/ai/certify-batch" */
export const MAX_BATCH_LINES = 500;
export const MAX_LINE_BYTES = 10 * 1024 * 1024;

/** A certificate with signals can be several times its request. */
const MAX_ANSWER_LINE_BYTES = 64 * 1024 * 1024;

/** The node's answer to one line: status and body of certify. */
export interface LineAnswer {
  readonly index: number;
  readonly status: number;
  readonly body: JsonObject;
  /** The node's Retry-After, in seconds. */
  readonly retryAfterS?: number;
}

const NEWLINE = Buffer.from('\n');

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
  const answer = await node.send({
    path: '/v1/cer/ai/certify-batch',
    key: key.reveal(),
    mediaType: 'application/x-ndjson',
    body: Buffer.concat(lines.flatMap((line) => [line, NEWLINE])),
    signal,
  });
  if (answer.status !== 200) {
    // The whole batch was refused: every line got the same answer.
    const body = refusalBody(await answerText(answer));
    const wait = Number(answer.headers['retry-after']);
    const later = Number.isSafeInteger(wait) && wait > 0 ? { retryAfterS: wait } : {};
    for (const index of lines.keys()) yield { index, status: answer.status, body, ...later };
    return;
  }
  yield* answersOf(answer, lines.length);
}

async function* answersOf(answer: NodeAnswer, expected: number): AsyncGenerator<LineAnswer> {
  let index = 0;
  try {
    for await (const group of byteLines(answer.body, MAX_ANSWER_LINE_BYTES)) {
      for (const { bytes } of group) {
        if (index >= expected) throw new Error('more answers than lines');
        yield readAnswer(bytes, index);
        index += 1;
      }
    }
  } catch (cause) {
    throw nodeUnavailable(cause);
  }
  if (index < expected) throw nodeUnavailable(new Error('the answer broke off'));
}

function readAnswer(line: Uint8Array | null, index: number): LineAnswer {
  const value: unknown = line === null ? null : JSON.parse(Buffer.from(line).toString('utf8'));
  const status = isJsonObject(value) ? member(value, 'status') : undefined;
  const body = isJsonObject(value) ? member(value, 'body') : undefined;
  if (!isJsonObject(value) || member(value, 'index') !== index || typeof status !== 'number' || !isJsonObject(body)) {
    throw new Error('an answer line has another shape');
  }
  return { index, status, body };
}

function refusalBody(text: string): JsonObject {
  try {
    const value = JSON.parse(text) as JsonValue;
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}
