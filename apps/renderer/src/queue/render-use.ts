import type { JobKind } from './job-kind.js';

/** The use of the machine by one job. */
export interface JobMeter {
  /**
   * Processor time of its page until now, in ms; undefined where the system does not report it; wall-clock time then
   * counts instead.
   */
  readonly cpuMs: () => number | undefined;
  /** Whether its deadline ended it. */
  readonly isTimedOut: () => boolean;
}

/**
 * The render time that tenants used lately, as processor time: on a busy machine a short still waits long for a core,
 * and uses none while it waits. Kept in memory: a restart resets it.
 */
export interface RenderUse {
  /** Counts a job from now on, by the clock where it has no meter. @returns ends it; to be called once */
  begin(tenantId: string, kind: JobKind, meter?: JobMeter): () => void;
  /** Milliseconds used, running jobs included; jobs that ended one minute ago count half. */
  usedMs(tenantId: string): number;
  /** Whether a still of the tenant uses or lately used `slowMs` or more, or was ended by its deadline with less. */
  isSlow(tenantId: string): boolean;
}

interface Use {
  endedMs: number;
  atMs: number;
  slowUntilMs: number;
  readonly running: { readonly kind: JobKind; readonly usedMs: () => number }[];
}

const HALF_LIFE_MS = 60_000;
const SLOW_FOR_MS = 5 * 60_000;
const MAX_TENANTS = 10_000;

/** @param slowMs use from which a still is a slow one */
export function createRenderUse(slowMs: number, now: () => number): RenderUse {
  const uses = new Map<string, Use>();
  const faded = ({ endedMs, atMs }: Use): number => endedMs * 2 ** ((atMs - now()) / HALF_LIFE_MS);

  /** Moves the tenant behind all others and drops the one that was longest without a job. */
  const touched = (tenantId: string): Use => {
    const use = uses.get(tenantId) ?? { endedMs: 0, atMs: now(), slowUntilMs: -Infinity, running: [] };
    uses.delete(tenantId);
    uses.set(tenantId, use);
    if (uses.size <= MAX_TENANTS) return use;
    for (const [id, { running }] of uses) {
      if (running.length > 0) continue;
      uses.delete(id);
      break;
    }
    return use;
  };

  return {
    begin(tenantId, kind, meter) {
      const use = touched(tenantId);
      const sinceMs = now();
      const job = { kind, usedMs: () => meter?.cpuMs() ?? now() - sinceMs };
      use.running.push(job);
      return () => {
        const at = use.running.indexOf(job);
        if (at === -1) return;
        use.running.splice(at, 1);
        const usedMs = job.usedMs();
        use.endedMs = faded(use) + usedMs;
        use.atMs = now();
        // Where many jobs compete for a core, a sketch that never ends gets little of it until its deadline.
        const isSlow = usedMs >= slowMs || meter?.isTimedOut() === true;
        if (kind === 'still' && isSlow) use.slowUntilMs = now() + SLOW_FOR_MS;
      };
    },
    usedMs(tenantId) {
      const use = uses.get(tenantId);
      if (use === undefined) return 0;
      return use.running.reduce((sum, { usedMs }) => sum + usedMs(), faded(use));
    },
    isSlow(tenantId) {
      const use = uses.get(tenantId);
      if (use === undefined) return false;
      if (now() < use.slowUntilMs) return true;
      return use.running.some(({ kind, usedMs }) => kind === 'still' && usedMs() >= slowMs);
    },
  };
}
