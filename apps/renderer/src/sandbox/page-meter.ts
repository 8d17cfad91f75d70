import { cpuMs } from '../browser/processes.js';

/** The processor time that a job's page has used, also after its processes have ended. */
export interface PageMeter {
  /** The job has its page: the time for opening it does not count. */
  readonly begin: (pids: readonly number[]) => void;
  /** Until the last call while the page existed, in ms; undefined where the system does not report it. */
  readonly cpuMs: () => number | undefined;
}

/** @param read processor time of a process; undefined when it is gone or the system does not report it */
export function createPageMeter(read: (pid: number) => number | undefined = cpuMs): PageMeter {
  const processes: { readonly pid: number; readonly from: number; last: number }[] = [];
  let isTold = true;
  return {
    begin(pids) {
      for (const pid of pids) {
        const from = read(pid);
        // Opening a page takes time: where it took none, the system does not report it.
        if (from === undefined || from === 0) isTold = false;
        else processes.push({ pid, from, last: from });
      }
      if (pids.length === 0) isTold = false;
    },
    cpuMs() {
      if (!isTold) return undefined;
      for (const one of processes) one.last = read(one.pid) ?? one.last;
      return processes.reduce((sum, { from, last }) => sum + last - from, 0);
    },
  };
}
