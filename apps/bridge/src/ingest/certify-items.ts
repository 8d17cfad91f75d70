import { batchesOf } from './batches.js';
import type { Item, Outcome } from './item.js';

/** Maximum batches at the node: while it makes one durable, the next one is in transit. */
const BATCHES_AT_ONCE = 2;

/** Certifies one batch: one outcome per item, in order; it never throws for failures of single items. */
export type CertifyBatch = (batch: readonly Item[]) => Promise<readonly Outcome[]>;

/**
 * Certifies items as they arrive and yields their outcomes, batch by batch, in order. Items act as if sent one after
 * another: two of the same executionId are never in transit at once. A slow reader slows the sender down.
 */
export async function* certifyItems(
  groups: AsyncIterable<readonly Item[]>,
  certifyBatch: CertifyBatch,
): AsyncGenerator<readonly Outcome[]> {
  const batches = batchesOf(groups);
  const underWay: { readonly ids: ReadonlySet<string>; readonly outcomes: Promise<readonly Outcome[]> }[] = [];
  let next: Promise<IteratorResult<readonly Item[]>> | null = null;
  let isOver = false;
  let failure: { readonly error: unknown } | null = null;

  const ask = (): Promise<IteratorResult<readonly Item[]>> => {
    const asked = batches.next();
    asked.catch(() => undefined);
    return asked;
  };
  try {
    for (;;) {
      const [oldest] = underWay;
      if (isOver && oldest === undefined) break;
      if (!isOver && underWay.length < BATCHES_AT_ONCE) {
        next ??= ask();
        const arrived: IteratorResult<readonly Item[]> | 'answered' | { readonly error: unknown } = await Promise.race([
          next.catch((error: unknown) => ({ error })),
          ...(oldest === undefined ? [] : [oldest.outcomes.then(() => 'answered' as const)]),
        ]);
        if (arrived !== 'answered') {
          next = null;
          if ('error' in arrived) {
            failure = arrived;
            isOver = true;
          } else if (arrived.done === true) {
            isOver = true;
          } else {
            const ids = idsOf(arrived.value);
            // In order: an item is answered before another one with its executionId is sent.
            while (underWay.some((earlier) => overlaps(earlier.ids, ids))) {
              const first = underWay.shift();
              if (first !== undefined) yield await first.outcomes;
            }
            const outcomes = certifyBatch(arrived.value);
            outcomes.catch(() => undefined);
            underWay.push({ ids, outcomes });
          }
          continue;
        }
      }
      const first = underWay.shift();
      if (first !== undefined) yield await first.outcomes;
    }
  } finally {
    await batches.return(undefined);
  }
  if (failure !== null) throw failure.error;
}

function idsOf(batch: readonly Item[]): ReadonlySet<string> {
  return new Set(batch.flatMap(({ executionId }) => (executionId === null ? [] : [executionId])));
}

function overlaps(some: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  for (const id of some) if (others.has(id)) return true;
  return false;
}
