import type { JobKind } from './job-kind.js';

/** The render time that tenants used lately. Kept in memory: a restart resets it. */
export interface RenderUse {
  /** Counts a job from now on. @returns ends it; to be called once */
  begin(tenantId: string, kind: JobKind): () => void;
  /** Milliseconds used, running jobs included; jobs that ended one minute ago count half. */
  usedMs(tenantId: string): number;
  /** Whether a still of the tenant takes or lately took longer than `slowMs`. */
  isSlow(tenantId: string): boolean;
}

interface Use {
  endedMs: number;
  atMs: number;
  slowUntilMs: number;
  readonly running: { readonly kind: JobKind; readonly sinceMs: number }[];
}

const HALF_LIFE_MS = 60_000;
const SLOW_FOR_MS = 5 * 60_000;
const MAX_TENANTS = 10_000;

/** @param slowMs time from which a still is a slow one */
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
    begin(tenantId, kind) {
      const use = touched(tenantId);
      const job = { kind, sinceMs: now() };
      use.running.push(job);
      return () => {
        const at = use.running.indexOf(job);
        if (at === -1) return;
        use.running.splice(at, 1);
        const tookMs = now() - job.sinceMs;
        use.endedMs = faded(use) + tookMs;
        use.atMs = now();
        if (kind === 'still' && tookMs >= slowMs) use.slowUntilMs = now() + SLOW_FOR_MS;
      };
    },
    usedMs(tenantId) {
      const use = uses.get(tenantId);
      if (use === undefined) return 0;
      return use.running.reduce((sum, { sinceMs }) => sum + now() - sinceMs, faded(use));
    },
    isSlow(tenantId) {
      const use = uses.get(tenantId);
      if (use === undefined) return false;
      if (now() < use.slowUntilMs) return true;
      return use.running.some(({ kind, sinceMs }) => kind === 'still' && now() - sinceMs >= slowMs);
    },
  };
}
