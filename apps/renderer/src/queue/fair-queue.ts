import { ServiceError } from '@cer/http-service';
import type { JobKind } from './job-kind.js';
import { createRenderUse, type JobMeter } from './render-use.js';

/** A request for a slot. */
export interface Ticket {
  readonly tenantId: string;
  readonly kind: JobKind;
  /** Leaves the queue when it aborts. */
  readonly signal: AbortSignal;
  /** Meter of the job's use while it has its slot; wall-clock time by default. */
  readonly meter?: JobMeter;
}

export interface QueueLimits {
  /** Maximum running jobs. Where there are several slots, the last one is for stills of tenants whose stills are short. */
  readonly slots: number;
  /** Maximum running loops. */
  readonly loopSlots: number;
  readonly maxRunningPerTenant: number;
  /** Render time from which a still is not a short one, in ms. */
  readonly slowStillMs: number;
  /** Maximum waiting jobs of all tenants. */
  readonly maxWaiting: number;
  readonly maxWaitingStillsPerTenant: number;
  readonly maxWaitingLoopsPerTenant: number;
  readonly maxRunningLoopsPerTenant: number;
}

export interface FairQueue {
  /**
   * Waits for a slot. The tenant that used the least render time lately is served first.
   * @returns gives the slot back, to be called once
   * @throws ServiceError SERVICE_UNAVAILABLE when the queue is full, RATE_LIMITED when the tenant's part of it is; the
   *   signal's reason when it aborts
   */
  enter(ticket: Ticket): Promise<() => void>;
  readonly waiting: number;
  readonly running: number;
}

interface Waiting {
  readonly ticket: Ticket;
  readonly admit: (leave: () => void) => void;
}

const RETRY_AFTER_SECONDS = 5;

/**
 * A bounded queue that shares render time between tenants. A sketch that hangs uses up its tenant's share, and neither
 * one tenant nor several whose stills are slow can occupy every slot.
 * @param now a monotonic clock, in ms
 */
export function createFairQueue(limits: QueueLimits, now: () => number = () => performance.now()): FairQueue {
  const lines = new Map<string, Waiting[]>();
  const running: Ticket[] = [];
  const use = createRenderUse(limits.slowStillMs, now);
  let waiting = 0;

  const countRunning = (counts: (ticket: Ticket) => boolean): number => running.filter(counts).length;
  const fits = ({ kind, tenantId }: Ticket): boolean => {
    const free = limits.slots - running.length;
    if (free < 1 || countRunning((other) => other.tenantId === tenantId) >= limits.maxRunningPerTenant) return false;
    const isLast = free === 1 && limits.slots > 1;
    if (kind === 'still') return !isLast || !use.isSlow(tenantId);
    const loops = countRunning((other) => other.kind === 'loop');
    const own = countRunning((other) => other.kind === 'loop' && other.tenantId === tenantId);
    return !isLast && loops < limits.loopSlots && own < limits.maxRunningLoopsPerTenant;
  };

  const remove = (tenantId: string, entry: Waiting): void => {
    const line = lines.get(tenantId) ?? [];
    const at = line.indexOf(entry);
    if (at === -1) return;
    line.splice(at, 1);
    waiting -= 1;
    if (line.length === 0) lines.delete(tenantId);
  };

  /** The first job that fits of the tenant that used the least; of equals, the one that was served longest ago. */
  const next = (): Waiting | undefined => {
    let least: { readonly entry: Waiting; readonly usedMs: number } | undefined;
    for (const [tenantId, line] of lines) {
      const entry = line.find(({ ticket }) => fits(ticket));
      if (entry === undefined) continue;
      const usedMs = use.usedMs(tenantId);
      if (least === undefined || usedMs < least.usedMs) least = { entry, usedMs };
    }
    if (least === undefined) return undefined;
    const { tenantId } = least.entry.ticket;
    remove(tenantId, least.entry);
    const rest = lines.get(tenantId);
    if (rest !== undefined) {
      lines.delete(tenantId);
      lines.set(tenantId, rest);
    }
    return least.entry;
  };
  const fill = (): void => {
    for (let entry = next(); entry !== undefined; entry = next()) {
      const { ticket } = entry;
      running.push(ticket);
      const end = use.begin(ticket.tenantId, ticket.kind, ticket.meter);
      entry.admit(() => {
        const at = running.indexOf(ticket);
        if (at !== -1) running.splice(at, 1);
        end();
        fill();
      });
    }
  };
  const refuseFull = ({ tenantId, kind }: Ticket): void => {
    const line = lines.get(tenantId) ?? [];
    const own = line.filter(({ ticket }) => ticket.kind === kind).length;
    const most = kind === 'loop' ? limits.maxWaitingLoopsPerTenant : limits.maxWaitingStillsPerTenant;
    const headers = { 'retry-after': String(RETRY_AFTER_SECONDS) };
    const free = limits.maxWaiting - waiting;
    // The share of one tenant shrinks as the queue fills: the last place is for a tenant without a waiting job.
    if (own >= most || (line.length > 0 && line.length >= free))
      throw new ServiceError({
        code: 'RATE_LIMITED',
        message: `too many ${kind}s of this tenant are waiting`,
        headers,
      });
    if (free < 1) throw new ServiceError({ code: 'SERVICE_UNAVAILABLE', message: 'the renderer is busy', headers });
  };

  return {
    get waiting() {
      return waiting;
    },
    get running() {
      return running.length;
    },
    async enter(ticket) {
      ticket.signal.throwIfAborted();
      if (!fits(ticket)) refuseFull(ticket);
      return new Promise<() => void>((resolve, reject) => {
        const abort = (): void => {
          remove(ticket.tenantId, entry);
          reject(ticket.signal.reason as Error);
        };
        const entry: Waiting = {
          ticket,
          admit(leave) {
            ticket.signal.removeEventListener('abort', abort);
            resolve(leave);
          },
        };
        ticket.signal.addEventListener('abort', abort, { once: true });
        const line = lines.get(ticket.tenantId) ?? [];
        line.push(entry);
        lines.set(ticket.tenantId, line);
        waiting += 1;
        fill();
      });
    },
  };
}
