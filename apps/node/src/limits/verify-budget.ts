import {
  arrivedBody,
  ByteBudget,
  networkOf,
  ServiceError,
  type Handler,
  type RequestHead,
  type Reservation,
  type Route,
  type StreamRequest,
  type TrustedProxies,
} from '@cer/http-service';
import { isExempt } from '../auth/rate-limits.js';
import type { RatePoints } from '../store/index.js';
import { ShareLimiter } from './share-limiter.js';
import type { Slots } from './slots.js';

export interface VerifyBudgetSettings {
  /** Maximum concurrent requests of one address. */
  readonly concurrencyPerAddress: number;
  /** Evaluation time per minute of one address, in milliseconds. */
  readonly cpuMsPerAddress: number;
  /** Maximum bytes of bodies in memory, over all addresses. */
  readonly bytesAtOnce: number;
  /** Maximum silence while a body is received. */
  readonly stallMs?: number | undefined;
  /** Addresses without these limits. */
  readonly exemptAddresses?: TrustedProxies | undefined;
}

export const VERIFY_BUDGET: VerifyBudgetSettings = {
  concurrencyPerAddress: 8,
  cpuMsPerAddress: 10_000,
  bytesAtOnce: 256 * 1024 * 1024,
};

/** A public route whose cost is determined by the caller. */
type CostlyRoute = Route & { readonly handler: Handler; readonly bodyLimitBytes: number };

/** Processes large bodies in threads, in a separate queue, so that small requests do not wait for them. */
export interface LargeHandler {
  /** Whether a body is a large one. */
  readonly isFor: (body: Uint8Array) => boolean;
  /** Calls `began` when the work begins: waiting for it is not charged to the address. */
  readonly handler: (request: Parameters<Handler>[0], began: () => void) => ReturnType<Handler>;
}

export interface VerifyBudget {
  /**
   * Limits a route: 429 for an address with too many concurrent requests or no time left, 503 when the node's queue or
   * memory budget is full. Handlers run sequentially, within `share` of event-loop time, and so do those of large
   * bodies.
   * @see docs/spec.md, "Rate limits and quotas"
   */
  readonly guarded: (route: CostlyRoute, share: number, large?: LargeHandler) => Route;
  /** Queued and running requests. */
  readonly waiting: () => number;
}

/** Maximum wait in the queue: a client that waits longer has probably disconnected. */
const MAX_WAIT_MS = 10_000;
const MAX_WAITING = 256;
const SLOT = 'verify';
/** The part of the bytes that one address may have; a body that is alone may have any size. */
const SHARE_OF_BYTES = 1 / 8;
const STALL_MS = 10_000;

/** @param shared counts time and concurrent requests of an address, over all processes of the node */
export function createVerifyBudget(
  settings: VerifyBudgetSettings,
  { points, slots }: { readonly points: RatePoints; readonly slots: Slots },
): VerifyBudget {
  const { concurrencyPerAddress, cpuMsPerAddress, bytesAtOnce, exemptAddresses, stallMs = STALL_MS } = settings;
  const byteBudget = new ByteBudget({
    totalBytes: bytesAtOnce,
    share: SHARE_OF_BYTES,
    refuse: (exceeded) => (exceeded === 'share' ? tooManyAtOnce() : tooBusy()),
  });
  const reservations = new WeakMap<RequestHead, Reservation>();
  const lanes: ShareLimiter[] = [];

  const refuseSpent = async (client: string): Promise<void> => {
    const { taken, msLeft } = await points.take(timeOf(client), 0);
    if (taken >= cpuMsPerAddress) {
      throw tooMuch('this address has used up its time for verifying: wait', Math.ceil(msLeft / 1000));
    }
  };

  /** Reserves memory while a request is worked on, from before its body is read. */
  const hold = async <T>(head: RequestHead, announced: number, work: () => Promise<T>): Promise<T> => {
    const client = clientOf(head);
    if (client !== null) {
      await refuseSpent(client);
      if (!(await slots.take(SLOT, client, { ofAHolder: concurrencyPerAddress }))) throw tooManyAtOnce();
    }
    try {
      const reservation = byteBudget.reserve(client);
      // A body that would find no room is refused before it is sent.
      reservation.assertRoom(announced);
      reservations.set(head, reservation);
      try {
        return await work();
      } finally {
        reservation.release();
      }
    } finally {
      if (client !== null) slots.release(SLOT, client);
    }
  };

  const read = (request: StreamRequest): Promise<Uint8Array> => {
    const reservation = reservations.get(request);
    if (reservation === undefined) throw new Error('a body is read before its memory is reserved');
    return arrivedBody(request.body, { stallMs, announcedBytes: request.announcedBytes, count: reservation.take });
  };

  const charged = async <T>(client: string | null, work: (began: () => void) => Promise<T>): Promise<T> => {
    let startedAt = performance.now();
    try {
      return await work(() => {
        startedAt = performance.now();
      });
    } finally {
      // Refusals count too: finding the fault in a large body takes time.
      if (client !== null) await points.take(timeOf(client), performance.now() - startedAt);
    }
  };

  const clientOf = ({ remoteAddress }: RequestHead): string | null =>
    isExempt(remoteAddress, exemptAddresses) ? null : networkOf(remoteAddress);

  return {
    waiting: () => lanes.reduce((sum, { waiting }) => sum + waiting, 0),
    guarded: ({ handler, ...route }, share, large) => {
      const turns = new ShareLimiter(share);
      const largeTurns = new ShareLimiter(share);
      lanes.push(turns, largeTurns);
      return {
        ...route,
        body: 'stream',
        within: (head, work) => hold(head, announcedBytes(head, route.bodyLimitBytes), work),
        handler: async (streamed) => {
          const body = await read(streamed);
          const request = Object.assign(streamed, { body });
          const isLarge = large !== undefined && large.isFor(body);
          const lane = isLarge ? largeTurns : turns;
          if (lane.waiting >= MAX_WAITING) throw tooBusy();
          const since = performance.now();
          const client = clientOf(request);
          const begin = async (): Promise<void> => {
            request.signal.throwIfAborted();
            if (performance.now() - since > MAX_WAIT_MS) throw tooBusy();
            // Earlier requests of the same address may have used up its time.
            if (client !== null) await refuseSpent(client);
          };
          return lane.take(begin, () =>
            charged(client, (began) => (isLarge ? large.handler(request, began) : handler(request))),
          );
        },
      };
    },
  };
}

/** The points of an address: milliseconds of evaluation. */
function timeOf(client: string): string {
  return `verify:${client}`;
}

/** A body without a declared length counts with the maximum size. */
function announcedBytes({ headers }: RequestHead, limitBytes: number): number {
  const announced = Number(headers['content-length'] ?? Number.NaN);
  return Number.isFinite(announced) ? Math.min(announced, limitBytes) : limitBytes;
}

function tooManyAtOnce(): ServiceError {
  return tooMuch('too many requests of this address at once: wait for answers', 1);
}

function tooMuch(message: string, retryAfterSeconds: number): ServiceError {
  return new ServiceError({
    code: 'RATE_LIMITED',
    message,
    headers: { 'retry-after': String(Math.max(1, retryAfterSeconds)) },
  });
}

function tooBusy(): ServiceError {
  return new ServiceError({
    code: 'SERVICE_UNAVAILABLE',
    message: 'this node has too much to verify: retry',
    headers: { 'retry-after': '5' },
  });
}
