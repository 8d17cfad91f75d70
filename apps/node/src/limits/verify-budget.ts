import {
  arrivedBody,
  networkOf,
  ServiceError,
  type Handler,
  type RequestHead,
  type Route,
  type StreamRequest,
  type TrustedProxies,
} from '@cer/http-service';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { isExempt } from '../auth/rate-limits.js';
import { ShareLimiter } from './share-limiter.js';

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

export interface VerifyBudget {
  /**
   * Limits a route: 429 for an address with too many concurrent requests or no time left, 503 when the node's queue or
   * memory budget is full. Handlers run sequentially, within `share` of event-loop time.
   * @see docs/spec.md, "Rate limits and quotas"
   */
  readonly guarded: (route: CostlyRoute, share: number) => Route;
  /** Queued and running requests. */
  readonly waiting: () => number;
}

/** Maximum wait in the queue: a client that waits longer has probably disconnected. */
const MAX_WAIT_MS = 10_000;
const MAX_WAITING = 256;
const WINDOW_S = 60;
/** Maximum share of the bytes per address; a single body may have any size. */
const SHARE_OF_BYTES = 1 / 8;
const STALL_MS = 10_000;

interface InHand {
  readonly requests: number;
  readonly bytes: number;
}
const NOTHING: InHand = { requests: 0, bytes: 0 };

/** One request and the received bytes of its body. */
interface Place {
  readonly client: string | null;
  bytes: number;
}

export function createVerifyBudget(settings: VerifyBudgetSettings): VerifyBudget {
  const { concurrencyPerAddress, cpuMsPerAddress, bytesAtOnce, exemptAddresses, stallMs = STALL_MS } = settings;
  const cpu = new RateLimiterMemory({ keyPrefix: '', points: cpuMsPerAddress, duration: WINDOW_S });
  const underWay = new Map<string, InHand>();
  const places = new WeakMap<RequestHead, Place>();
  const lanes: ShareLimiter[] = [];
  const bytesPerAddress = bytesAtOnce * SHARE_OF_BYTES;
  let bytesInHand = 0;

  const refuseSpent = async (client: string): Promise<void> => {
    const spent = await cpu.get(client);
    if (spent !== null && spent.consumedPoints >= cpuMsPerAddress) {
      throw tooMuch('this address has used up its time for verifying: wait', Math.ceil(spent.msBeforeNext / 1000));
    }
  };

  /** A single body is admitted at any size, otherwise a small budget would never admit it. */
  const assertRoom = ({ client, bytes: own }: Place, more: number): void => {
    const mine = client === null ? NOTHING : (underWay.get(client) ?? NOTHING);
    if (mine.bytes > own && mine.bytes + more > bytesPerAddress) throw tooManyAtOnce();
    if (bytesInHand > own && bytesInHand + more > bytesAtOnce) throw tooBusy();
  };

  /** Reserves a place from before the body is read until the request is finished. */
  const hold = async <T>(head: RequestHead, announced: number, work: () => Promise<T>): Promise<T> => {
    const client = clientOf(head);
    if (client !== null) {
      await refuseSpent(client);
      if ((underWay.get(client) ?? NOTHING).requests >= concurrencyPerAddress) throw tooManyAtOnce();
    }
    const place: Place = { client, bytes: 0 };
    // A body that does not fit is refused before it is sent.
    assertRoom(place, announced);
    add(client, { requests: 1, bytes: 0 });
    places.set(head, place);
    try {
      return await work();
    } finally {
      add(client, { requests: -1, bytes: -place.bytes });
    }
  };

  const read = (request: StreamRequest): Promise<Uint8Array> => {
    const place = places.get(request);
    if (place === undefined) throw new Error('a body is read before it has a place');
    const count = (bytes: number): void => {
      assertRoom(place, bytes);
      place.bytes += bytes;
      add(place.client, { requests: 0, bytes });
    };
    return arrivedBody(request.body, { stallMs, count });
  };

  const add = (client: string | null, { requests, bytes }: InHand): void => {
    bytesInHand += bytes;
    if (client === null) return;
    const before = underWay.get(client) ?? NOTHING;
    const after = { requests: before.requests + requests, bytes: before.bytes + bytes };
    if (after.requests === 0) underWay.delete(client);
    else underWay.set(client, after);
  };

  const charged = async <T>(client: string | null, work: () => Promise<T>): Promise<T> => {
    const startedAt = performance.now();
    try {
      return await work();
    } finally {
      // Refusals count too: finding the fault in a large body takes time.
      if (client !== null) await cpu.penalty(client, performance.now() - startedAt);
    }
  };

  const clientOf = ({ remoteAddress }: RequestHead): string | null =>
    isExempt(remoteAddress, exemptAddresses) ? null : networkOf(remoteAddress);

  return {
    waiting: () => lanes.reduce((sum, { waiting }) => sum + waiting, 0),
    guarded: ({ handler, ...route }, share) => {
      const turns = new ShareLimiter(share);
      lanes.push(turns);
      return {
        ...route,
        body: 'stream',
        within: (head, work) => hold(head, announcedBytes(head, route.bodyLimitBytes), work),
        handler: async (streamed) => {
          const body = await read(streamed);
          const request = Object.assign(streamed, { body });
          if (turns.waiting >= MAX_WAITING) throw tooBusy();
          const since = performance.now();
          const client = clientOf(request);
          const begin = async (): Promise<void> => {
            request.signal.throwIfAborted();
            if (performance.now() - since > MAX_WAIT_MS) throw tooBusy();
            // Earlier requests of the same address may have used up its time.
            if (client !== null) await refuseSpent(client);
          };
          return turns.take(begin, () => charged(client, () => handler(request)));
        },
      };
    },
  };
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
