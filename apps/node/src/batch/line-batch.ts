import { randomUUID } from 'node:crypto';
import { parseJson, type JsonValue } from '@cer/canonical-json';
import { createErrorShaper, ServiceError, type Logger } from '@cer/http-service';
import { byteLines } from '@cer/ndjson';
import { STATUS, translateError } from '../errors/refusals.js';

export const MAX_BATCH_LINES = 500;
export const MAX_LINE_BYTES = 10 * 1024 * 1024;

/** Maximum concurrent items: enough to share commits, few enough to limit memory. */
const ITEMS_AT_ONCE = 128;

export interface LineBatchDeps {
  readonly logger: Logger;
  readonly batchLines: { observe(lines: number): void };
}

/** How one line is processed. */
export interface LineWork {
  /** Maximum levels of containers in a line; absent: that of strict JSON. */
  readonly maxDepth?: number;
  /** Lines with one id are processed sequentially; null: in any order. */
  readonly idOf: (request: JsonValue) => string | null;
  /** @returns the body of the answer */
  readonly process: (request: JsonValue, requestId: string) => Promise<JsonValue>;
}

/**
 * Processes one JSON value per line and returns one line `{index, status, body}` each, in order. Lines with the same id
 * behave as if sent sequentially.
 * @see docs/spec.md, "POST /v1/cer/ai/certify-batch"
 */
export async function* processLines(
  deps: LineBatchDeps,
  source: AsyncIterable<Uint8Array>,
  { maxDepth, idOf, process }: LineWork,
): AsyncGenerator<string> {
  const shapeError = createErrorShaper({ logger: deps.logger, statusOf: STATUS, translate: translateError });
  const lastOfId = new Map<string, Promise<unknown>>();

  const answer = async (work: () => Promise<unknown>, requestId: string): Promise<{ status: number; body: string }> => {
    try {
      return { status: 200, body: JSON.stringify(await work()) };
    } catch (error) {
      const { status, body } = shapeError(error, requestId);
      return { status, body: typeof body === 'string' ? body : 'null' };
    }
  };

  const start = async (index: number, line: Uint8Array | null): Promise<string> => {
    const requestId = randomUUID();
    const { status, body } = await answer(async () => {
      if (line === null) throw lineTooLong();
      const request = parseJson(line, maxDepth === undefined ? {} : { maxDepth });
      const id = idOf(request);
      const before = id === null ? undefined : lastOfId.get(id);
      const processing = (async () => {
        // Its outcome is reported on its own line.
        await before?.catch(() => undefined);
        return process(request, requestId);
      })();
      if (id !== null) lastOfId.set(id, processing);
      return processing;
    }, requestId);
    return resultLine(index, status, body);
  };

  const underWay: Promise<string>[] = [];
  let index = 0;
  try {
    for await (const lines of byteLines(source, MAX_LINE_BYTES)) {
      for (const { bytes } of lines) {
        if (index >= MAX_BATCH_LINES) throw tooManyLines();
        underWay.push(start(index, bytes));
        index += 1;
        const [oldest] = underWay;
        if (underWay.length >= ITEMS_AT_ONCE && oldest !== undefined) {
          yield await oldest;
          void underWay.shift();
        }
      }
    }
  } catch (error) {
    // Accepted items are answered; one line reports why the rest of the batch is not processed.
    if (!(error instanceof ServiceError)) throw error;
    const { status, body } = await answer(() => Promise.reject(error), randomUUID());
    underWay.push(Promise.resolve(resultLine(index, status, body)));
  }
  deps.batchLines.observe(index);
  for (const line of underWay) yield await line;
}

function resultLine(index: number, status: number, body: string): string {
  return `{"index":${index},"status":${status},"body":${body}}\n`;
}

function lineTooLong(): ServiceError {
  return new ServiceError({ code: 'PAYLOAD_TOO_LARGE', message: `line: must have at most ${MAX_LINE_BYTES} bytes` });
}

function tooManyLines(): ServiceError {
  return new ServiceError({ code: 'PAYLOAD_TOO_LARGE', message: `batch: must have at most ${MAX_BATCH_LINES} lines` });
}
