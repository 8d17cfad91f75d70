import { randomUUID } from 'node:crypto';
import { MAX_DEPTH, parseJson, type JsonValue } from '@cer/canonical-json';
import { createErrorShaper, ServiceError } from '@cer/http-service';
import type { Logger } from '@cer/http-service/process';
import { byteLines } from '@cer/ndjson';
import { STATUS, translateError } from '../errors/refusals.js';
import { isLarge } from '../large-work/large-body.js';
import { SLICE_BYTES, type WorkTurns } from '../limits/work-turns.js';
import type { Refusals } from '../coverage/refusals.js';
import type { LineRoom } from './line-room.js';

export const MAX_BATCH_LINES = 500;
export const MAX_LINE_BYTES = 10 * 1024 * 1024;

/** Maximum concurrent items: enough to share commits, few enough to limit memory. */
const ITEMS_AT_ONCE = 128;

/** Memory of a line and its answer, as a multiple of the line: its text, value, canonical form, record and answer. */
const BYTES_PER_BYTE = 5;
/** Maximum memory of the lines of one batch whose answers are not sent. A larger line needs room, and is alone. */
const BATCH_BYTES = 16 * 1024 * 1024;

export interface LineBatchDeps {
  readonly logger: Logger;
  readonly turns: Pick<WorkTurns, 'take'>;
  readonly lineRoom: LineRoom;
  readonly refusals: Refusals;
  readonly batchLines: { observe(lines: number): void };
}

/** How one line is processed. */
export interface LineWork {
  /** Whose share of time and memory the lines use. */
  readonly holder: string;
  /** Maximum levels of containers in a line; absent: that of strict JSON. */
  readonly maxDepth?: number;
  /** Lines with one id are processed sequentially; null: in any order. */
  readonly idOf: (request: JsonValue) => string | null;
  /** @returns the body of the answer as JSON */
  readonly process: (request: JsonValue, requestId: string) => Promise<string>;
  /**
   * Does the same for a large line, elsewhere than on the event loop; it takes the bytes over.
   * Absent: `process` does.
   */
  readonly processLarge?: ((line: Uint8Array, requestId: string) => Promise<string>) | undefined;
}

/**
 * Processes one JSON value per line and returns one line `{index, status, body}` each, in order. Lines with the same id
 * behave as if sent sequentially.
 * @see docs/spec.md, "POST /v1/cer/ai/certify-batch"
 */
export async function* processLines(
  deps: LineBatchDeps,
  source: AsyncIterable<Uint8Array>,
  { holder, maxDepth, idOf, process, processLarge }: LineWork,
): AsyncGenerator<string> {
  const shapeError = createErrorShaper({ logger: deps.logger, statusOf: STATUS, translate: translateError });
  const lastOfId = new Map<string, Promise<unknown>>();

  const answer = async (work: () => Promise<string>, requestId: string): Promise<{ status: number; body: string }> => {
    try {
      return { status: 200, body: await work() };
    } catch (error) {
      const { status, body } = shapeError(error, requestId);
      return { status, body: typeof body === 'string' ? body : 'null' };
    }
  };

  /** @param elsewhere works on this line when it is a large one */
  const start = async (
    index: number,
    line: Uint8Array | null,
    elsewhere: LineWork['processLarge'],
  ): Promise<string> => {
    const requestId = randomUUID();
    const work = deps.refusals.counting(holder, async (seen) => {
      if (line === null) throw lineTooLong();
      if (elsewhere !== undefined) return elsewhere(line, requestId);
      const request = seen(parseJson(line, { maxDepth: maxDepth ?? MAX_DEPTH.body }));
      const id = idOf(request);
      const before = id === null ? undefined : lastOfId.get(id);
      const processing = (async () => {
        // Its outcome is reported on its own line.
        await before?.catch(() => undefined);
        return process(request, requestId);
      })();
      if (id !== null) lastOfId.set(id, processing);
      return processing;
    });
    const { status, body } = await answer(() => work, requestId);
    return resultLine(index, status, body);
  };

  const underWay: { readonly line: Promise<string>; readonly bytes: number }[] = [];
  let bytesUnderWay = 0;
  let bytesOfTurn = 0;
  let index = 0;
  const answerOfOldest = async (): Promise<string> => {
    const oldest = underWay.shift();
    if (oldest === undefined) throw new Error('no line is under way');
    const line = await oldest.line;
    bytesUnderWay -= oldest.bytes;
    return line;
  };
  try {
    for await (const lines of byteLines(source, MAX_LINE_BYTES)) {
      for (const { bytes, length } of lines) {
        if (index >= MAX_BATCH_LINES) throw tooManyLines();
        const needed = bytes === null ? 0 : length * BYTES_PER_BYTE;
        // Counted before the answer exists: a batch waits until its client has taken the earlier ones.
        while (underWay.length > 0 && (underWay.length >= ITEMS_AT_ONCE || bytesUnderWay + needed > BATCH_BYTES)) {
          yield await answerOfOldest();
        }
        // Its id is not known here: it is processed alone, so that lines with one id stay in order.
        const elsewhere = processLarge !== undefined && bytes !== null && isLarge(bytes) ? processLarge : undefined;
        const isAlone = elsewhere !== undefined;
        if (isAlone) while (underWay.length > 0) yield await answerOfOldest();
        const leave = needed > BATCH_BYTES ? await deps.lineRoom.take(holder, needed) : null;
        try {
          bytesOfTurn += isAlone ? 0 : length;
          if (bytesOfTurn > SLICE_BYTES) {
            await deps.turns.take(holder);
            bytesOfTurn = length;
          }
          underWay.push({ line: start(index, bytes, elsewhere), bytes: needed });
          bytesUnderWay += needed;
          index += 1;
          if (leave !== null || isAlone) yield await answerOfOldest();
        } finally {
          leave?.();
        }
      }
    }
  } catch (error) {
    // Accepted items are answered; one line reports why the rest of the batch is not processed.
    if (!(error instanceof ServiceError)) throw error;
    const { status, body } = await answer(() => Promise.reject(error), randomUUID());
    underWay.push({ line: Promise.resolve(resultLine(index, status, body)), bytes: 0 });
  }
  deps.batchLines.observe(index);
  while (underWay.length > 0) yield await answerOfOldest();
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
