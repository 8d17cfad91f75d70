import { repeat, type Logger } from '@cer/http-service/process';
import { StoreError, type Store } from '../store/index.js';
import { MarkWriteError, type MarkFile } from './mark-file.js';
import type { WatchedStore } from './restored-store.js';

const EVERY_MS = 5000;
const FILE_FAILS = 'restore mark: cannot be written; the log says why. Set RESTORE_MARK_FILE to a writable place';
const STORE_FAILS = 'restore mark: the database failed; the log says why. The mark is tried again';

export interface MarkingDeps {
  readonly store: Pick<Store, 'mark' | 'usage' | 'audit'>;
  readonly file: MarkFile;
  readonly watched: Pick<WatchedStore, 'check'>;
  /** Whether growth is marked too; otherwise only a gap is looked for. */
  readonly isMarking: boolean;
  readonly now: () => Date;
  readonly logger: Logger;
  readonly everyMs?: number;
}

export interface Marking {
  /** What `/ready` shows while the last attempt failed, since a restored database might not be noticed; else null. */
  readonly warning: () => string | null;
  readonly stop: () => Promise<void>;
}

/**
 * Marks the growth of the database in the background: counts in the database first, then in this machine's file, so that
 * the file is never ahead of a database that was not replaced. Looks for a gap each time: a database also goes back under
 * a running node, for example to a standby that lags. While a gap is not accepted, nothing is marked.
 */
export function startMarking(deps: MarkingDeps): Marking {
  const { store, file, watched, isMarking, now, logger, everyMs = EVERY_MS } = deps;
  let marked = '';
  let problem: { readonly found: string; readonly warning: string } | null = null;

  const mark = async (): Promise<void> => {
    if (!(await watched.check()) || !isMarking) return;
    const state = `${await store.usage.newest()} ${(await store.audit.last())?.seq ?? 0}`;
    if (state === marked) return;
    const mark = await store.mark.grow(now().toISOString(), file.read()?.count ?? 0);
    if (mark === null) {
      await watched.check();
      return;
    }
    file.write(mark);
    marked = state;
  };
  const attempt = async (): Promise<void> => {
    await mark();
    if (problem !== null) logger.info('the growth of the database is marked again');
    problem = null;
  };
  const noteProblem = (error: unknown): void => {
    const found = error instanceof MarkWriteError ? error.message : 'the growth of the database could not be marked';
    // Once per problem: attempts continue every few seconds.
    if (found !== problem?.found) logger.warn({ err: error }, found);
    problem = { found, warning: error instanceof StoreError ? STORE_FAILS : FILE_FAILS };
  };
  const marking = repeat({ everyMs, task: attempt, onFailure: noteProblem });
  return {
    warning: () => problem?.warning ?? null,
    stop: async () => {
      await marking.stop();
      await attempt().catch(noteProblem);
    },
  };
}
