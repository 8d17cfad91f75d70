import { ServiceError } from '@cer/http-service';
import type { Logger } from '@cer/http-service/process';
import { StoreRestoredError, type Mark, type Store } from '../store/index.js';
import type { DescribedRoute } from '../openapi/route-description.js';
import type { MarkFile } from './mark-file.js';

/** The gap between a restored database and what this machine saw of it. */
export interface Gap {
  /** The last mark that the database has. */
  readonly found: Mark;
  /** The mark of this machine. */
  readonly seen: Mark;
}

/** @returns null when the database is as new as this machine's mark */
export async function findGap({ mark }: Pick<Store, 'mark'>, file: MarkFile): Promise<Gap | null> {
  const seen = file.read();
  if (seen === null) return null;
  const found = await mark.read();
  return found.count < seen.count ? { found, seen } : null;
}

/** Fails while a gap is not accepted. */
export interface RestoredStore {
  /** @throws StoreRestoredError */
  readonly assertAccepted: () => Promise<void>;
}

/** The database of a running node, which may be replaced by an older state at any time. */
export interface WatchedStore extends RestoredStore {
  /** Compares the database with the mark, and logs a gap once. @returns whether there is none */
  readonly check: () => Promise<boolean>;
}

export interface WatchDeps {
  readonly store: Pick<Store, 'mark'>;
  readonly file: MarkFile;
  readonly logger: Logger;
}

/** Without a gap at the last check, `assertAccepted` reads nothing; with one, it looks for its acceptance. */
export function watchStore({ store, file, logger }: WatchDeps): WatchedStore {
  let isBehind = false;
  const check = async (): Promise<boolean> => {
    const wasBehind = isBehind;
    isBehind = (await findGap(store, file)) !== null;
    if (isBehind && !wasBehind)
      logger.error('the database is older than this node has seen: see docs/backup.md, "After a restore"');
    return !isBehind;
  };
  return {
    check,
    assertAccepted: async () => {
      if (isBehind && !(await check())) throw new StoreRestoredError();
    },
  };
}

/** @returns false while a gap is not accepted */
export async function isAccepted(restored: RestoredStore): Promise<boolean> {
  try {
    await restored.assertAccepted();
    return true;
  } catch (error) {
    if (error instanceof StoreRestoredError) return false;
    throw error;
  }
}

/**
 * Refuses to certify until the gap is accepted.
 * @throws ServiceError SERVICE_UNAVAILABLE
 */
export async function assertMayCertify(restored: RestoredStore): Promise<void> {
  try {
    await restored.assertAccepted();
  } catch (error) {
    if (!(error instanceof StoreRestoredError)) throw error;
    throw new ServiceError({ code: 'SERVICE_UNAVAILABLE', message: `store: ${error.message}` }, { cause: error });
  }
}

/**
 * Routes that may give a known executionId a second hash. Attest stays open: it claims the ids of the gap again.
 * `POST /api/render` asks by itself, since it certifies only on request.
 */
const CLOSED: ReadonlySet<string> = new Set(['/v1/cer/ai/certify', '/v1/cer/ai/certify-batch', '/verify']);

/** Closes certification until the gap is accepted. */
export function closedUntilAccepted(route: DescribedRoute, restored: RestoredStore): DescribedRoute {
  if (!CLOSED.has(route.path)) return route;
  const { admit } = route;
  return {
    ...route,
    admit: async (head) => {
      const headers = await admit?.(head);
      await assertMayCertify(restored);
      return typeof headers === 'object' ? headers : undefined;
    },
  };
}
