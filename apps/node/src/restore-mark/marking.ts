import { repeat, type Logger } from '@cer/http-service/process';
import type { Store } from '../store/index.js';
import { MarkWriteError, type MarkFile } from './mark-file.js';
import type { WatchedStore } from './restored-store.js';

const EVERY_MS = 5000;

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
  /** Whether the last attempt failed: a restored database might not be noticed. */
  readonly isFailing: () => boolean;
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
  let problem: string | null = null;

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
    if (found !== problem) logger.warn({ err: error }, found);
    problem = found;
  };
  const marking = repeat({ everyMs, task: attempt, onFailure: noteProblem });
  return {
    isFailing: () => problem !== null,
    stop: async () => {
      await marking.stop();
      await attempt().catch(noteProblem);
    },
  };
}
