import { REQUEST_DEPTH } from '@cer/cer-core/seal';
import { randomUUID } from 'node:crypto';
import { isJsonObject, member, parseJson, type JsonValue } from '@cer/canonical-json';
import { createErrorShaper, ServiceError, type Logger } from '@cer/http-service';
import { byteLines } from '@cer/ndjson';
import type { Caller } from '../auth/key-directory.js';
import { STATUS, translateError } from '../errors/refusals.js';
import { certify, type CertifyDeps } from './certify.js';

export const MAX_BATCH_LINES = 500;
export const MAX_LINE_BYTES = 10 * 1024 * 1024;

/** Maximum concurrent items: enough to share commits, few enough to limit memory. */
const ITEMS_AT_ONCE = 128;

export interface CertifyBatchDeps extends CertifyDeps {
  readonly logger: Logger;
  readonly batchLines: { observe(lines: number): void };
}

/**
 * Certifies one request per line and returns one line `{index, status, body}` each, in order. The result of an item
 * equals that of a single certify; items with the same executionId behave as if sent sequentially.
 * @see docs/spec.md, "POST /v1/cer/ai/certify-batch"
 */
export async function* certifyBatch(
  deps: CertifyBatchDeps,
  source: AsyncIterable<Uint8Array>,
  caller: Caller,
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
      const request = parseLine(line);
      const id = statedExecutionId(request);
      const before = id === null ? undefined : lastOfId.get(id);
      const certifying = (async () => {
        // Its outcome is reported on its own line.
        await before?.catch(() => undefined);
        return certify(deps, request, caller, requestId);
      })();
      if (id !== null) lastOfId.set(id, certifying);
      return (await certifying).body;
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

function parseLine(line: Uint8Array | null): JsonValue {
  if (line === null) throw lineTooLong();
  return parseJson(line, { maxDepth: REQUEST_DEPTH });
}

function lineTooLong(): ServiceError {
  return new ServiceError({ code: 'PAYLOAD_TOO_LARGE', message: `line: must have at most ${MAX_LINE_BYTES} bytes` });
}

function statedExecutionId(request: JsonValue): string | null {
  const id = isJsonObject(request) ? member(request, 'executionId') : undefined;
  return typeof id === 'string' ? id : null;
}

function tooManyLines(): ServiceError {
  return new ServiceError({ code: 'PAYLOAD_TOO_LARGE', message: `batch: must have at most ${MAX_BATCH_LINES} lines` });
}
