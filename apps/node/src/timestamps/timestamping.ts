import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

import type { Logger } from '@cer/http-service/process';
import { startWorker, type Worker } from '../worker/worker.js';
import type { LeaseStore, TimestampStore } from '../store/index.js';
import type { Authority } from './authority.js';
import { timestampDigests, type TimestampMode, type DigestTimestamps } from './timestamp-digests.js';
import type { TimestampSource } from './timestamp-source.js';
import { projectSource } from './timestamped-project.js';
import { recordSource } from './timestamped-record.js';

export interface TimestampingDeps {
  readonly store: { readonly timestamps: TimestampStore; readonly leases: LeaseStore };
  readonly authorities: readonly Authority[];
  readonly mode: TimestampMode;
  readonly now: () => Date;
  readonly logger: Logger;
  /** Pause between two runs. */
  readonly everyMs?: number;
}

/** Interval of batches: ten seconds. */
const EVERY_MS: Readonly<Record<TimestampMode, number>> = { each: 1000, batch: 10_000 };

/** Records timestamped before the first is written; with `batch`, in one tree. */
const RECORDS_A_GROUP: Readonly<Record<TimestampMode, number>> = { each: 16, batch: 4096 };

/** Records in memory at once, and in one commit: each may have megabytes. */
const RECORDS_A_PAGE = 16;

/**
 * Timestamps the receipts of stored records and projects in the background, oldest first, by one node at a time. It
 * never blocks requests: it reads and writes in small steps with pauses.
 * @see docs/spec.md, "External timestamps"
 */
export function startTimestamping(deps: TimestampingDeps): Worker {
  const { store, mode, logger, everyMs = EVERY_MS[mode] } = deps;
  const records = recordSource(store.timestamps, deps.now);
  const projects = projectSource(store.timestamps);
  const unreadable = new Set<string>();
  const task = async (signal: AbortSignal): Promise<void> => {
    await timestampAll({ ...deps, unreadable }, records, signal);
    await timestampAll({ ...deps, unreadable }, projects, signal);
  };
  return startWorker({ name: 'timestamps', everyMs, task, leases: store.leases, logger });
}

interface TurnDeps extends TimestampingDeps {
  /** Items already logged. */
  readonly unreadable: Set<string>;
}

async function timestampAll<Found extends { readonly seq: number }, Timestamped>(
  deps: TurnDeps,
  source: TimestampSource<Found, Timestamped>,
  signal: AbortSignal,
): Promise<void> {
  const { mode, authorities } = deps;
  for (let after = 0; ;) {
    if (signal.aborted || !authorities.some((authority) => authority.isReady())) return;
    const digests: Uint8Array[] = [];
    let [last, group] = [after, 0];
    for await (const { page, lastSeq } of pagesAfter(source, after)) {
      for (const found of page)
        digests.push(...(readable(found, deps, source, (read) => source.digestsOf(read)) ?? []));
      last = lastSeq;
      group += page.length;
      if (group >= RECORDS_A_GROUP[mode]) break;
    }
    if (last === after) return;
    const timestamps = await timestampDigests(digests, mode, authorities, signal);
    await keep(deps, source, { after, last }, timestamps);
    if (!timestamps.isComplete) return;
    after = last;
  }
}

interface Page<Found> {
  readonly page: readonly Found[];
  readonly lastSeq: number;
}

async function* pagesAfter<Found extends { readonly seq: number }>(
  source: Pick<TimestampSource<Found, never>, 'untimestamped'>,
  start: number,
): AsyncGenerator<Page<Found>> {
  for (let after = start; ;) {
    const page = await source.untimestamped(after, RECORDS_A_PAGE);
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.seq;
    yield { page, lastSeq: after };
    // SQLite is synchronous, so this yields to requests.
    await nextTurn();
  }
}

/** Stores timestamps. A record attested again in the meantime gets a new request. */
async function keep<Found extends { readonly seq: number }, Timestamped>(
  deps: TurnDeps,
  source: TimestampSource<Found, Timestamped>,
  { after, last }: { readonly after: number; readonly last: number },
  timestamps: DigestTimestamps,
): Promise<void> {
  for await (const { page, lastSeq } of pagesAfter(source, after)) {
    const timestamped = page.map((found) =>
      readable(found, deps, source, (asRead) => source.withTimestamps(asRead, timestamps)),
    );
    const startedAt = performance.now();
    await source.keep(timestamped.filter((made) => made !== null));
    // Timestamps are not urgent: other commits go between any two of these.
    await sleep(performance.now() - startedAt);
    if (lastSeq >= last) return;
  }
}

/** An unreadable item does not block the others. */
function readable<Found extends { readonly seq: number }, T>(
  found: Found,
  { logger, unreadable }: TurnDeps,
  source: Pick<TimestampSource<Found, never>, 'hashOf'>,
  work: (found: Found) => T,
): T | null {
  try {
    return work(found);
  } catch (error) {
    const hash = source.hashOf(found);
    if (!unreadable.has(hash)) logger.error({ err: error, hash }, 'the item with this hash cannot be timestamped');
    unreadable.add(hash);
    return null;
  }
}
