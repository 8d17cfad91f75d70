import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

import type { Logger } from '@cer/http-service';
import { startWorker, type Worker } from '../background/worker.js';
import type { LeaseStore, StampStore, UnstampedRecord } from '../store/index.js';
import type { Authority } from './authority.js';
import { stampDigests, type StampMode, type Stamps } from './stamp-digests.js';
import { digestsToStamp, withStamps } from './stamped-record.js';

export interface StampingDeps {
  readonly store: { readonly stamps: StampStore; readonly leases: LeaseStore };
  readonly authorities: readonly Authority[];
  readonly mode: StampMode;
  readonly now: () => Date;
  readonly logger: Logger;
  /** The pause between two looks at what is to be stamped. */
  readonly everyMs?: number;
}

/** A batch is what came in ten seconds. */
const EVERY_MS: Readonly<Record<StampMode, number>> = { each: 1000, batch: 10_000 };

/** Records that are stamped before the first of them is written; with `batch`, in one tree. */
const RECORDS_A_GROUP: Readonly<Record<StampMode, number>> = { each: 16, batch: 4096 };

/** Records in memory at once, and in one commit: each may have megabytes. */
const RECORDS_A_PAGE = 16;

/**
 * Has stored records stamped in the background, oldest first, by one node at a time. Nothing ever waits for it: it reads
 * and writes in small steps and lets requests pass between them.
 * @see docs/spec.md, "External timestamps"
 */
export function startStamping(deps: StampingDeps): Worker {
  const { store, mode, logger, everyMs = EVERY_MS[mode] } = deps;
  const unreadable = new Set<number>();
  const task = (signal: AbortSignal): Promise<void> => stampAll({ ...deps, unreadable }, signal);
  return startWorker({ name: 'timestamps', everyMs, task, leases: store.leases, logger });
}

interface TurnDeps extends StampingDeps {
  /** Records that the log has named already. */
  readonly unreadable: Set<number>;
}

async function stampAll(deps: TurnDeps, signal: AbortSignal): Promise<void> {
  const { mode, authorities } = deps;
  for (let after = 0; ;) {
    if (signal.aborted || !authorities.some((authority) => authority.isReady())) return;
    const digests: Uint8Array[] = [];
    let [last, group] = [after, 0];
    for await (const { records, lastSeq } of pagesAfter(deps, after)) {
      for (const record of records) digests.push(...(readable(record, deps, digestsToStamp) ?? []));
      last = lastSeq;
      group += records.length;
      if (group >= RECORDS_A_GROUP[mode]) break;
    }
    if (last === after) return;
    const stamps = await stampDigests(digests, mode, authorities, signal);
    await keep(deps, after, last, stamps);
    if (!stamps.isComplete) return;
    after = last;
  }
}

interface Page {
  readonly records: readonly UnstampedRecord[];
  readonly lastSeq: number;
}

async function* pagesAfter({ store }: TurnDeps, start: number): AsyncGenerator<Page> {
  for (let after = start; ;) {
    const records = await store.stamps.unstamped(after, RECORDS_A_PAGE);
    const last = records.at(-1);
    if (last === undefined) return;
    after = last.seq;
    yield { records, lastSeq: after };
    // SQLite answers at once: requests come first.
    await nextTurn();
  }
}

/** Writes what was stamped. A record that was attested anew meanwhile is asked for again. */
async function keep(deps: TurnDeps, after: number, last: number, stamps: Stamps): Promise<void> {
  for await (const { records, lastSeq } of pagesAfter(deps, after)) {
    const stamped = records.map((record) => readable(record, deps, (asRead) => withStamps(asRead, stamps)));
    const startedAt = performance.now();
    await deps.store.stamps.keep(
      stamped.filter((made) => made !== null),
      deps.now().toISOString(),
    );
    // Nobody waits for timestamps: whoever waits for the database comes between any two commits of these.
    await sleep(performance.now() - startedAt);
    if (lastSeq >= last) return;
  }
}

/** A record that cannot be read holds up no other. */
function readable<T>(
  record: UnstampedRecord,
  { logger, unreadable }: TurnDeps,
  work: (record: UnstampedRecord) => T,
): T | null {
  try {
    return work(record);
  } catch (error) {
    const { seq, certificateHash } = record;
    if (!unreadable.has(seq)) logger.error({ err: error, certificateHash }, 'a stored record cannot be stamped');
    unreadable.add(seq);
    return null;
  }
}
