import type { CertifyDeps } from '../certify/certify.js';
import type { ThreadSettings } from '../large-work/large-job.js';
import type { ThreadStart } from '../large-work/job-thread.js';
import { LargeWork, type LargeWorkDeps } from '../large-work/large-work.js';

const THREAD = new URL('./thread.js', import.meta.url);

/** Makes the threads of one node, and ends them. */
export interface LargeWorkOpener {
  readonly open: (deps: LargeWorkDeps) => LargeWork;
  readonly close: () => Promise<void>;
}

/** @param start how threads start, for tests on sources */
export function largeWorkOpener(
  {
    secrets,
    verifyUrl,
    verifyLimitBytes,
    hasLog,
    tsaRootsPem,
  }: Pick<CertifyDeps, 'secrets' | 'verifyUrl' | 'verifyLimitBytes'> & Pick<ThreadSettings, 'hasLog' | 'tsaRootsPem'>,
  start: Omit<ThreadStart, 'settings'> = { url: THREAD },
): LargeWorkOpener {
  const opened: LargeWork[] = [];
  const byId = new Map(secrets.ids.map((id) => [id, secrets.secretOf(id)]));
  const settings = { verifyUrl, verifyLimitBytes, hasLog, tsaRootsPem, secrets: { activeId: secrets.activeId, byId } };
  return {
    open: (deps) => {
      const work = new LargeWork({ ...start, settings }, deps);
      opened.push(work);
      return work;
    },
    close: async () => {
      await Promise.all(opened.map((work) => work.close()));
    },
  };
}
