import { ServiceError } from '@cer/http-service';

export type JobKind = 'still' | 'loop';

/** Who wants a slot, and for what. */
export interface Ticket {
  readonly tenantId: string;
  readonly kind: JobKind;
  /** Leaves the line when it aborts. */
  readonly signal: AbortSignal;
}

export interface QueueLimits {
  /** Jobs that run at once. */
  readonly slots: number;
  /** Of them, loops: one slot always stays for stills. */
  readonly loopSlots: number;
  /** Jobs that wait, all in all. */
  readonly maxWaiting: number;
  readonly maxWaitingStillsPerTenant: number;
  readonly maxWaitingLoopsPerTenant: number;
  readonly maxRunningLoopsPerTenant: number;
}

export interface FairQueue {
  /**
   * Waits for a slot, tenant by tenant in turn.
   * @returns gives the slot back, to be called once
   * @throws ServiceError SERVICE_UNAVAILABLE when the line is full, RATE_LIMITED when the tenant's part of it is; the
   *   signal's reason when it aborts
   */
  enter(ticket: Ticket): Promise<() => void>;
  readonly waiting: number;
  readonly running: number;
}

interface Waiting {
  readonly ticket: Ticket;
  readonly admit: () => void;
}

const RETRY_AFTER_SECONDS = 5;

/** A bounded line in which no tenant can stand before another twice in a row. */
export function createFairQueue(limits: QueueLimits): FairQueue {
  const lines = new Map<string, Waiting[]>();
  const running: Ticket[] = [];
  let waiting = 0;

  const runningLoops = (tenantId?: string): number =>
    running.filter((ticket) => ticket.kind === 'loop' && (tenantId === undefined || ticket.tenantId === tenantId))
      .length;
  const fits = ({ kind, tenantId }: Ticket): boolean =>
    running.length < limits.slots &&
    (kind === 'still' ||
      (runningLoops() < limits.loopSlots && runningLoops(tenantId) < limits.maxRunningLoopsPerTenant));

  const remove = (tenantId: string, entry: Waiting): void => {
    const line = lines.get(tenantId) ?? [];
    const at = line.indexOf(entry);
    if (at === -1) return;
    line.splice(at, 1);
    waiting -= 1;
    if (line.length === 0) lines.delete(tenantId);
  };

  /** The first job that fits of the tenant whose turn it is; that tenant then goes to the end. */
  const next = (): Waiting | undefined => {
    for (const [tenantId, line] of lines) {
      const entry = line.find(({ ticket }) => fits(ticket));
      if (entry === undefined) continue;
      remove(tenantId, entry);
      if (lines.delete(tenantId)) lines.set(tenantId, line);
      return entry;
    }
    return undefined;
  };
  const fill = (): void => {
    for (let entry = next(); entry !== undefined; entry = next()) {
      running.push(entry.ticket);
      entry.admit();
    }
  };
  const leave = (ticket: Ticket) => (): void => {
    const at = running.indexOf(ticket);
    if (at !== -1) running.splice(at, 1);
    fill();
  };
  const refuseFull = ({ tenantId, kind }: Ticket): void => {
    const own = (lines.get(tenantId) ?? []).filter(({ ticket }) => ticket.kind === kind).length;
    const most = kind === 'loop' ? limits.maxWaitingLoopsPerTenant : limits.maxWaitingStillsPerTenant;
    const headers = { 'retry-after': String(RETRY_AFTER_SECONDS) };
    if (own >= most)
      throw new ServiceError({
        code: 'RATE_LIMITED',
        message: `too many ${kind}s of this tenant are waiting`,
        headers,
      });
    if (waiting >= limits.maxWaiting)
      throw new ServiceError({ code: 'SERVICE_UNAVAILABLE', message: 'the renderer is busy', headers });
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
      await new Promise<void>((resolve, reject) => {
        const abort = (): void => {
          remove(ticket.tenantId, entry);
          reject(ticket.signal.reason as Error);
        };
        const entry: Waiting = {
          ticket,
          admit() {
            ticket.signal.removeEventListener('abort', abort);
            resolve();
          },
        };
        ticket.signal.addEventListener('abort', abort, { once: true });
        const line = lines.get(ticket.tenantId) ?? [];
        line.push(entry);
        lines.set(ticket.tenantId, line);
        waiting += 1;
        fill();
      });
      return leave(ticket);
    },
  };
}
