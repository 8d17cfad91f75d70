import { batchesOf } from './batches.js';
import type { Item, Outcome } from './item.js';

/** Maximum batches at the node: while it makes one durable, the next one is in transit. */
const BATCHES_AT_ONCE = 2;

/** Certifies one batch: one outcome per item, in order; it never throws for failures of single items. */
export type CertifyBatch = (batch: readonly Item[]) => Promise<readonly Outcome[]>;

type End = { readonly is: 'end' } | { readonly is: 'failure'; readonly error: unknown };
type Arrival = { readonly is: 'batch'; readonly batch: readonly Item[] } | End;

interface BatchUnderWay {
  readonly ids: ReadonlySet<string>;
  readonly outcomes: Promise<readonly Outcome[]>;
}

/**
 * Certifies items as they arrive and yields their outcomes, batch by batch, in order. Items act as if sent one after
 * another: two of the same executionId are never in transit at once. A slow reader slows the sender down.
 */
export async function* certifyItems(
  groups: AsyncIterable<readonly Item[]>,
  certifyBatch: CertifyBatch,
): AsyncGenerator<readonly Outcome[]> {
  const batches = batchesOf(groups);
  const underWay: BatchUnderWay[] = [];
  let next: Promise<Arrival> | null = null;
  let end: End | null = null;

  /** @returns null when the oldest batch was answered before */
  const arrival = async (): Promise<Arrival | null> => {
    next ??= nextOf(batches);
    const arrived = await Promise.race([
      next,
      ...underWay.slice(0, 1).map(({ outcomes }) => outcomes.then(() => null)),
    ]);
    if (arrived !== null) next = null;
    return arrived;
  };
  const outcomesOfOldest = async (): Promise<readonly Outcome[]> => (await underWay.shift()?.outcomes) ?? [];

  try {
    while (end === null || underWay.length > 0) {
      const arrived: Arrival | null = end === null && underWay.length < BATCHES_AT_ONCE ? await arrival() : null;
      if (arrived === null) {
        yield await outcomesOfOldest();
      } else if (arrived.is === 'batch') {
        const ids = idsOf(arrived.batch);
        // In order: an item is answered before another one with its executionId is sent.
        while (underWay.some((earlier) => overlaps(earlier.ids, ids))) yield await outcomesOfOldest();
        const outcomes = certifyBatch(arrived.batch);
        outcomes.catch(() => undefined);
        underWay.push({ ids, outcomes });
      } else {
        end = arrived;
      }
    }
  } finally {
    await batches.return(undefined);
  }
  if (end.is === 'failure') throw end.error;
}

/** Never rejects: the batches before a failure are still answered. */
async function nextOf(batches: AsyncGenerator<readonly Item[]>): Promise<Arrival> {
  try {
    const next = await batches.next();
    return next.done === true ? { is: 'end' } : { is: 'batch', batch: next.value };
  } catch (error) {
    return { is: 'failure', error };
  }
}

function idsOf(batch: readonly Item[]): ReadonlySet<string> {
  return new Set(batch.flatMap(({ executionId }) => (executionId === null ? [] : [executionId])));
}

function overlaps(some: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  for (const id of some) if (others.has(id)) return true;
  return false;
}
