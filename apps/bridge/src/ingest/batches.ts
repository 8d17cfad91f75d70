import { MAX_BATCH_LINES } from '../attestation-node/certify-batch.js';
import type { Item } from './item.js';

/** Size in bytes at which a batch is sent. Larger ones gain nothing, and memory would grow with the sender's speed. */
const BATCH_BYTES = 4 * 1024 * 1024;
/** Maximum time, in ms, for which an incomplete batch waits when its sender pauses. */
const PATIENCE_MS = 5;

/**
 * Gathers items into batches as they arrive: full ones under load, small ones at once when the sender pauses.
 * @param groups items as they came together, in order
 */
export async function* batchesOf(groups: AsyncIterable<readonly Item[]>): AsyncGenerator<readonly Item[]> {
  const iterator = groups[Symbol.asyncIterator]();
  let batch: Item[] = [];
  let bytes = 0;
  let next = iterator.next();
  // A failure while a batch is processed is noticed when the loop resumes.
  const quietly = (promise: Promise<unknown>): void => {
    promise.catch(() => undefined);
  };
  quietly(next);
  try {
    for (;;) {
      const arrived = batch.length === 0 ? await next : await within(next, PATIENCE_MS);
      if (arrived === undefined) {
        yield batch;
        batch = [];
        bytes = 0;
        continue;
      }
      if (arrived.done === true) break;
      next = iterator.next();
      quietly(next);
      for (const item of arrived.value) {
        const size = 'line' in item ? item.line.length : 0;
        if (batch.length >= MAX_BATCH_LINES || (batch.length > 0 && bytes + size > BATCH_BYTES)) {
          yield batch;
          batch = [];
          bytes = 0;
        }
        batch.push(item);
        bytes += size;
      }
    }
  } catch (error) {
    // Items accepted before the failure are still certified and answered.
    if (batch.length > 0) yield batch;
    throw error;
  } finally {
    await iterator.return?.();
  }
  if (batch.length > 0) yield batch;
}

/** The result of a promise, or `undefined` when it takes longer. */
async function within<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined);
  });
  try {
    return await Promise.race([promise, patience]);
  } finally {
    clearTimeout(timer);
  }
}
