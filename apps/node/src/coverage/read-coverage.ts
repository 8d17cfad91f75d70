import { validationError } from '@cer/http-service';
import { StoreError, type CoverageCount, type CoverageQuery, type ReportedDay } from '../store/index.js';
import { countNewest, type CountingStore } from './count-certificates.js';
import type { RefusalCounts } from './refusals.js';

export interface CoverageDeps {
  readonly store: CountingStore;
  readonly refusals: RefusalCounts;
}

type Reported = Omit<ReportedDay, 'day' | 'appId'>;

/** One application on one day. */
export interface CoverageDay {
  readonly day: string;
  readonly appId: string | null;
  /** Without `reports`. */
  readonly certified: number;
  /** Certificates of producers' counts. */
  readonly reports: number;
  readonly refused: number;
  /** By code. */
  readonly refusals: Readonly<Record<string, number>>;
  /** The counts of its producers; null where none reported. */
  readonly reported: Reported | null;
}

/** @see docs/spec.md, "GET /v1/coverage" */
export interface Coverage {
  /** Whether every certificate is counted that existed at the request. */
  readonly isCounted: boolean;
  readonly days: readonly CoverageDay[];
}

/**
 * The counts of a tenant, those in memory of this process included.
 * @throws ServiceError VALIDATION_ERROR for more counts than the limit of the query
 */
export async function readCoverage(deps: CoverageDeps, query: CoverageQuery): Promise<Coverage> {
  const { store } = deps;
  const { limit = Number.MAX_SAFE_INTEGER - 1 } = query;
  const isCounted = await writeNewest(deps);
  const read = { ...query, limit: limit + 1 };
  const [counts, reported] = await Promise.all([store.coverage.counts(read), store.coverage.reported(read)]);
  if (counts.length > limit || reported.length > limit) {
    throw validationError([`from: the days must have at most ${limit} counts: ask for fewer days, or for one app_id`]);
  }
  return { isCounted, days: joined(counts, reported) };
}

/** @returns false also where nothing can be written: the stored counts are read all the same */
async function writeNewest({ store, refusals }: CoverageDeps): Promise<boolean> {
  try {
    const isCounted = await countNewest(store);
    await refusals.flush();
    return isCounted;
  } catch (error) {
    if (error instanceof StoreError && error.code === 'STORE_UNAVAILABLE') return false;
    throw error;
  }
}

function joined(counts: readonly CoverageCount[], reported: readonly ReportedDay[]): readonly CoverageDay[] {
  const days = new Map<string, CoverageDay>();
  const change = (of: Pick<CoverageDay, 'day' | 'appId'>, more: (known: CoverageDay) => Partial<CoverageDay>): void => {
    const { day, appId } = of;
    // No application sorts first, as in the list of a database.
    const key = `${day} ${appId ?? ''}`;
    const known = days.get(key) ?? { day, appId, certified: 0, reports: 0, refused: 0, refusals: {}, reported: null };
    days.set(key, { ...known, ...more(known) });
  };
  for (const row of counts) {
    const { outcome, count } = row;
    change(row, ({ refused, refusals }) => {
      if (outcome === 'certified') return { certified: count };
      if (outcome === 'report') return { reports: count };
      return { refused: refused + count, refusals: { ...refusals, [outcome]: count } };
    });
  }
  for (const { day, appId, ...numbers } of reported) change({ day, appId }, () => ({ reported: numbers }));
  return [...days.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, found]) => found);
}
