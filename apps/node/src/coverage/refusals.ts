import { isJsonObject, isWellFormed, member, type JsonValue } from '@cer/canonical-json';
import { unwrap } from '@cer/cer-core/verify';
import { ServiceError } from '@cer/http-service';
import { outageLog, repeat, type Logger } from '@cer/http-service/process';
import { translateError } from '../errors/refusals.js';
import type { CoverageCount } from '../store/index.js';
import { countNewest, type CountingStore } from './count-certificates.js';

/** Maximum counts in memory; further refusals are counted without their application. */
const MAX_COUNTS = 10_000;
const MAX_APP_LENGTH = 256;
const WRITE_EVERY_MS = 10_000;
/** Counts that are written in one transaction. */
const COUNTS_A_WRITE = 500;

/** Counts what the node refuses to certify. */
export interface Refusals {
  /**
   * Runs work that certifies, and counts it when it is refused.
   * @param work calls `seen` with the request as soon as it is parsed, to name its application
   */
  counting<T>(tenantId: string, work: (seen: (request: JsonValue) => JsonValue) => Promise<T>): Promise<T>;
  /** Counts a refusal that is answered within a stream. */
  refused(tenantId: string, error: unknown): void;
}

/** Refusals in memory, written in groups: a crash loses those of the last seconds. */
export interface RefusalCounts extends Refusals {
  /** Writes what is in memory. On failure it stays there. */
  flush(): Promise<void>;
  /** Writes and stops. */
  close(): Promise<void>;
}

export interface RefusalCountsDeps {
  readonly store: CountingStore;
  readonly now: () => Date;
  readonly logger: Logger;
}

export function createRefusalCounts({ store, now, logger }: RefusalCountsDeps): RefusalCounts {
  let counts = new Map<string, CoverageCount>();
  let writing: Promise<void> = Promise.resolve();
  const outage = outageLog(logger, {
    level: 'warn',
    failed: 'counts of refusals could not be written; they stay in memory',
    succeeded: 'counts of refusals are written again',
  });

  const add = ({ tenantId, day, appId, outcome, count }: CoverageCount): void => {
    const key = JSON.stringify([tenantId, day, appId, outcome]);
    const known = counts.get(key);
    if (known === undefined && appId !== null && counts.size >= MAX_COUNTS) {
      add({ tenantId, day, appId: null, outcome, count });
      return;
    }
    counts.set(key, { tenantId, day, appId, outcome, count: count + (known?.count ?? 0) });
  };
  const write = async (): Promise<void> => {
    if (counts.size === 0) return;
    // An application is known once a certificate of it is counted.
    await countNewest(store);
    const taken = [...counts.values()];
    counts = new Map();
    let written = 0;
    try {
      while (written < taken.length) {
        const some = taken.slice(written, written + COUNTS_A_WRITE);
        await store.coverage.addRefusals(some);
        written += some.length;
      }
      outage.succeeded();
    } catch (error) {
      taken.slice(written).forEach(add);
      throw error;
    }
  };
  const flush = (): Promise<void> => {
    writing = writing.catch(() => undefined).then(write);
    return writing;
  };
  const writes = repeat({ everyMs: WRITE_EVERY_MS, task: flush, onFailure: outage.failed });

  const refused = (tenantId: string, error: unknown, request: JsonValue): void => {
    const outcome = codeOf(error);
    if (outcome === null) return;
    add({ tenantId, day: now().toISOString().slice(0, 10), appId: appIdOf(request), outcome, count: 1 });
  };

  return {
    counting: async (tenantId, work) => {
      let request: JsonValue = null;
      try {
        return await work((value) => (request = value));
      } catch (error) {
        refused(tenantId, error, request);
        throw error;
      }
    },
    refused: (tenantId, error) => {
      refused(tenantId, error, null);
    },
    flush,
    close: async () => {
      await writes.stop();
      await flush().catch(outage.failed);
    },
  };
}

/** Null for a closed connection, which is not a refusal. */
function codeOf(error: unknown): string | null {
  const refusal: ServiceError | undefined = error instanceof ServiceError ? error : translateError(error);
  if (refusal !== undefined) return refusal.code;
  return error instanceof Error && error.name === 'AbortError' ? null : 'INTERNAL_ERROR';
}

/** The stated application of an execution or of a sealed bundle. */
function appIdOf(request: JsonValue): string | null {
  if (!isJsonObject(request)) return null;
  const snapshot = member(unwrap(request).bundle ?? {}, 'snapshot');
  const sealed = isJsonObject(snapshot) ? member(snapshot, 'appId') : undefined;
  const stated = member(request, 'appId') ?? sealed;
  if (typeof stated !== 'string' || stated === '' || stated.length > MAX_APP_LENGTH) return null;
  return isWellFormed(stated) && !stated.includes('\0') ? stated : null;
}
