import { createCoverage } from './coverage.js';
import { certifiedCall, certifiedProject, registerProject } from './deliver.js';
import { LONGEST_TIMER_MS } from './longest-timer.js';
import { askLines } from './node-api/lines.js';
import type { NodeAccess } from './node-api/request.js';
import type { Platform } from './platform/platform.js';
import type { Settings } from './settings.js';
import { createDrain } from './spool/drain.js';
import { errorCode } from './spool/error-code.js';
import { createMemorySpool } from './spool/memory-spool.js';
import { earliest, type Spool } from './spool/spool.js';
import { newCounts, type Counts, type Stats } from './stats.js';

const MAX_SPOOL_BYTES = 256 * 1024 * 1024;
const FLUSH_MS = 10_000;

/** Sealed bundles on their way to the node, and the counts of all calls. */
export interface Evidence {
  readonly counts: Counts;
  /** Counts a fault and reports it; does not throw. */
  readonly failed: (error: unknown) => void;
  readonly isFull: () => boolean;
  /**
   * Stores a sealed bundle and starts sending. Does not throw.
   * @param isPromised also in a full spool
   * @returns false when no spool took it
   */
  readonly store: (text: string, isPromised?: boolean) => boolean;
  stats(): Stats;
  flush(options?: { readonly timeoutMs?: number }): Promise<{ readonly waiting: number }>;
  close(options?: { readonly timeoutMs?: number }): Promise<void>;
}

export function createEvidence(settings: Settings, access: NodeAccess, platform: Platform): Evidence {
  const counts = newCounts();
  const quietly = (hook: () => void): void => {
    try {
      hook();
    } catch {
      // A hook of the caller must not end the caller's request; its fault is counted.
      counts.errors += 1;
    }
  };
  const failed = (error: unknown): void => {
    counts.errors += 1;
    quietly(() => settings.onError?.(error));
  };
  const { maxSpoolBytes = MAX_SPOOL_BYTES, maxSpoolAgeMs } = settings;
  const spools = openSpools(settings, platform, failed);
  const drain = createDrain({
    spools,
    attest: (texts, patience) => askLines(access, 'attestBatch', texts, patience),
    register: (text, patience) => registerProject(access, text, patience),
    timeoutMs: access.timeoutMs,
    attested: (answer) => {
      counts.attested += 1;
      quietly(() => settings.onCertified?.(certifiedCall(answer)));
    },
    registered: (answer) => {
      counts.projects += 1;
      quietly(() => settings.onProject?.(certifiedProject(answer)));
    },
    dead: (bundle, code) => {
      counts.dead += 1;
      quietly(() => settings.onDeadLetter?.(bundle, code));
    },
    failed,
    random: Math.random,
    turn: platform.turn,
    unref: platform.unref,
  });
  const sum = (name: 'waiting' | 'waitingBytes' | 'torn' | 'adopted'): number =>
    spools.reduce((total, spool) => total + spool[name], 0);
  const oldestMs = (): number | null => {
    const oldestAt = earliest(spools.map((spool) => spool.oldestAt));
    return oldestAt === null ? null : Math.max(0, Date.now() - oldestAt);
  };
  const isTooOld = (): boolean => maxSpoolAgeMs !== undefined && (oldestMs() ?? 0) > maxSpoolAgeMs;
  const isFull = (): boolean => sum('waitingBytes') >= maxSpoolBytes || isTooOld();
  const fits = (text: string): boolean => !isFull() && sum('waitingBytes') + text.length <= maxSpoolBytes;
  const flush = async ({ timeoutMs = FLUSH_MS }: { readonly timeoutMs?: number } = {}): Promise<{
    waiting: number;
  }> => {
    await drain.flush(timeoutMs);
    return { waiting: sum('waiting') };
  };

  const extendRequest = (): void => {
    const { waitUntil } = settings;
    if (waitUntil === undefined) return;
    try {
      waitUntil(flush().then(() => undefined));
    } catch (error) {
      failed(error);
    }
  };
  const store = (text: string, isPromised = false): boolean => {
    const isStored = (isPromised || fits(text)) && putInto(spools, text, failed);
    drain.start();
    if (isStored) extendRequest();
    return isStored;
  };
  const stats = (): Stats => ({
    ...counts,
    outcomes: { ...counts.outcomes },
    waiting: sum('waiting'),
    waitingBytes: sum('waitingBytes'),
    oldestMs: oldestMs(),
    torn: sum('torn'),
    adopted: sum('adopted'),
  });
  const stopReports = startReports(settings, platform, { stats, store, failed });

  // Bundles of earlier processes are sent first.
  if (sum('waiting') > 0) drain.start();

  return {
    counts,
    failed,
    isFull,
    store,
    stats,
    flush,
    close: async ({ timeoutMs = FLUSH_MS } = {}) => {
      const endsAt = performance.now() + timeoutMs;
      await flush({ timeoutMs });
      // The last report states the remaining bundles, so it is made after the others were sent.
      stopReports();
      await flush({ timeoutMs: Math.max(0, endsAt - performance.now()) });
      drain.stop();
      for (const spool of spools) {
        try {
          await spool.close();
        } catch (error) {
          failed(error);
        }
      }
    },
  };
}

/** @returns a function that seals the last report */
function startReports(
  { appId, coverage: wanted }: Settings,
  platform: Platform,
  { stats, store, failed }: Pick<Evidence, 'stats' | 'store' | 'failed'>,
): () => void {
  if (wanted === undefined) return () => undefined;
  const coverage = createCoverage(appId);
  let reported = 0;
  const report = (isLast: boolean): void => {
    try {
      const found = stats();
      if (found.seen === reported && !isLast) return;
      // The last one is stored in a full spool too: its absence means that the process did not end by `close`.
      if (coverage.report(found, isLast, ({ text }) => store(text, isLast))) reported = found.seen;
    } catch (error) {
      failed(error);
    }
  };
  const timer =
    wanted.everyMs === undefined
      ? undefined
      : setInterval(
          () => {
            report(false);
          },
          Math.min(LONGEST_TIMER_MS, wanted.everyMs),
        );
  if (timer !== undefined) platform.unref(timer);
  let isOver = false;
  return () => {
    clearInterval(timer);
    if (!isOver) report(true);
    isOver = true;
  };
}

/** The folder's spool, then memory for bundles that the folder does not take. */
function openSpools(
  { spoolDir }: Settings,
  { openFileSpool }: Platform,
  failed: (error: unknown) => void,
): readonly Spool[] {
  const memory = createMemorySpool();
  if (spoolDir === null || openFileSpool === null) return [memory];
  try {
    return [openFileSpool(spoolDir, failed), memory];
  } catch (error) {
    const why = errorCode(error) ?? 'unknown fault';
    const message = `the spool ${spoolDir} cannot be used (${why}): certificates wait in memory, and end with the process`;
    failed(new Error(message, { cause: error }));
    return [memory];
  }
}

/** The next spool takes bundles that a fault kept out of this one. */
function putInto(spools: readonly Spool[], text: string, failed: (error: unknown) => void): boolean {
  for (const spool of spools) {
    try {
      spool.put(text);
      return true;
    } catch (error) {
      failed(error);
    }
  }
  return false;
}
