import { parseJson } from '@cer/canonical-json';
import { isMembers, type JsonMembers } from '../json.js';
import { NodeError } from './node-error.js';
import { bytesOf, type RequestOptions } from './request.js';

/** The result of one line of a batch. */
export interface LineResult {
  /** Of the item, counted from 0. */
  readonly index: number;
  /** The HTTP status that a single request would have had. */
  readonly status: number;
  /** The answer, or the refusal `{error, message?, details?, requestId}`. */
  readonly body: JsonMembers;
}

/**
 * Reads `{index, status, body}` lines.
 * @throws NodeError UNEXPECTED_ANSWER for any other line, ANSWER_TOO_LARGE
 */
export async function resultsOf(response: Response, options?: RequestOptions): Promise<LineResult[]> {
  return new TextDecoder()
    .decode(await bytesOf(response, options))
    .split('\n')
    .filter((line) => line !== '')
    .map(resultOf);
}

function resultOf(line: string): LineResult {
  try {
    const value = parseJson(line);
    if (isMembers(value)) {
      const { index, status, body } = value;
      if (typeof index === 'number' && typeof status === 'number' && isMembers(body)) return { index, status, body };
    }
  } catch {
    // Reported below.
  }
  throw new NodeError('UNEXPECTED_ANSWER', 'a line of the answer is not {index, status, body}');
}

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
