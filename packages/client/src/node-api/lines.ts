import { parseJson } from '@cer/canonical-json';
import { byteLines, joinBytes } from '@cer/ndjson';
import { isMembers, type JsonMembers } from '../json.js';
import { NodeError } from './node-error.js';
import {
  bytesOf,
  nodeErrorOf,
  notANode,
  pauseBeforeRetry,
  request,
  type NodeAccess,
  type RequestOptions,
} from './request.js';
import { reasonOf } from './retry.js';
import type { TransportAnswer } from './transport.js';

/** The result of one line of a batch. */
export interface LineResult {
  /** Of the item, counted from 0. */
  readonly index: number;
  /** The HTTP status that a single request would have had. */
  readonly status: number;
  /** The answer, or the refusal `{error, message?, details?, requestId}`. */
  readonly body: JsonMembers;
}

/** The routes that take a batch. */
export type BatchRoute = 'certifyBatch' | 'attestBatch';

/** Lines of a batch: JSON texts, or their bytes in UTF-8. */
export type BatchLines = readonly string[] | readonly Uint8Array[];

/**
 * Sends a batch in one request. Yields the result of each line when it arrives, in order.
 * @throws NodeError for a refusal of the whole batch, and when the answer ends early; the reason of an aborted signal
 */
export async function* askLines(
  access: NodeAccess,
  route: BatchRoute,
  lines: BatchLines,
  options: RequestOptions = {},
): AsyncGenerator<LineResult> {
  const { signal, timeoutMs = access.timeoutMs, maxAnswerBytes = access.maxAnswerBytes } = options;
  const body = { bytes: bodyOf(lines), type: 'application/x-ndjson' };
  const question = { body, accept: 'application/x-ndjson', options: { ...options, retries: 0 } };
  const answer = await request(access, route, question, async (received) => received);
  let index = 0;
  // Bytes since the last result: a line that never ends would keep the request open for good.
  let unused = 0;
  async function* bounded(): AsyncGenerator<Uint8Array> {
    for await (const chunk of answer.body) {
      if (unused > maxAnswerBytes) throw tooLarge();
      unused += chunk.length;
      yield chunk;
    }
  }
  try {
    for await (const group of byteLines(bounded(), maxAnswerBytes)) {
      unused = 0;
      for (const { bytes } of group) {
        if (index === lines.length) throw unexpected('the answer has more lines than the batch');
        yield resultOf(bytes, index);
        index += 1;
      }
    }
  } catch (error) {
    throw signal?.aborted === true ? reasonOf(signal) : nodeErrorOf(error, access.url, timeoutMs);
  }
  if (index < lines.length) throw new NodeError('UNREACHABLE', 'the answer ended before the last line of the batch');
}

/** The JSON object in each line of an answer. @throws NodeError for another line, and for an answer over the limit */
export async function membersOfLines(answer: TransportAnswer, maxBytes: number): Promise<readonly JsonMembers[]> {
  const lines = new TextDecoder().decode(await bytesOf(answer, maxBytes)).split('\n');
  return lines.filter((line) => line !== '').map(membersIn);
}

function membersIn(line: string): JsonMembers {
  try {
    const value = parseJson(line);
    if (isMembers(value)) return value;
  } catch {
    // Reported below.
  }
  throw unexpected('a line of the answer is not a JSON object');
}

/** Sends a batch, and again those of its lines that got no result. */
export async function* askLinesAgain(
  access: NodeAccess,
  route: BatchRoute,
  lines: readonly string[],
  options: RequestOptions = {},
): AsyncGenerator<LineResult> {
  let done = 0;
  for (let attempt = 0; done < lines.length; attempt += 1) {
    try {
      const from = done;
      for await (const result of askLines(access, route, lines.slice(from), options)) {
        done += 1;
        yield { ...result, index: from + result.index };
      }
    } catch (error) {
      await pauseBeforeRetry(access, attempt, error, options);
    }
  }
}

function bodyOf(lines: BatchLines): string | Uint8Array<ArrayBuffer> {
  const texts = lines.filter((line) => typeof line === 'string');
  if (texts.length === lines.length) return `${texts.join('\n')}\n`;
  return joinBytes(lines.flatMap((line) => (typeof line === 'string' ? [] : [line, NEWLINE])));
}

const NEWLINE = new TextEncoder().encode('\n');

/** @param line null for one over the limit */
function resultOf(line: Uint8Array | null, expected: number): LineResult {
  if (line === null) throw tooLarge();
  try {
    const value = parseJson(line);
    if (isMembers(value)) {
      const { index, status, body } = value;
      if (index === expected && typeof status === 'number' && isMembers(body)) return { index, status, body };
    }
  } catch {
    // Reported below.
  }
  throw unexpected('a line of the answer is not {index, status, body}');
}

const tooLarge = (): NodeError => new NodeError('ANSWER_TOO_LARGE', 'a line of the answer is too large');

const unexpected = (message: string): NodeError => new NodeError('UNEXPECTED_ANSWER', notANode(message));

/** Maximum lines and characters of one batch. @see docs/spec.md, "POST /v1/cer/ai/certify-batch" */
const MAX_LINES = 500;
const MAX_CHARACTERS = 16 * 1024 * 1024;

/** Groups JSON texts into batches that a node accepts. */
export async function* batchesOf(
  items: Iterable<JsonMembers> | AsyncIterable<JsonMembers>,
): AsyncGenerator<readonly string[]> {
  let batch: string[] = [];
  let size = 0;
  for await (const item of items) {
    const text = JSON.stringify(item);
    if (batch.length > 0 && (batch.length >= MAX_LINES || size + text.length > MAX_CHARACTERS)) {
      yield batch;
      batch = [];
      size = 0;
    }
    batch.push(text);
    size += text.length + 1;
  }
  if (batch.length > 0) yield batch;
}
