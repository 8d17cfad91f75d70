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
  /** Requests of one address that may be under way at once. */
  readonly concurrencyPerAddress: number;
  /** Milliseconds of evaluating in a minute for one address. */
  readonly cpuMsPerAddress: number;
  /** Bytes of bodies that may be in memory at once, of all addresses. */
  readonly bytesAtOnce: number;
  /** How long nothing of a body may come. */
  readonly stallMs?: number | undefined;
  /** Addresses whose requests and time are not counted. */
  readonly exemptAddresses?: TrustedProxies | undefined;
}

export const VERIFY_BUDGET: VerifyBudgetSettings = {
  concurrencyPerAddress: 8,
  cpuMsPerAddress: 10_000,
  bytesAtOnce: 256 * 1024 * 1024,
};

/** A route that answers anybody and whose cost is the caller's choice. */
type CostlyRoute = Route & { readonly handler: Handler; readonly bodyLimitBytes: number };

export interface VerifyBudget {
  /**
   * The same route within the budget: 429 for an address that asks for too much at once or has used up its time, 503
   * when the node has too much of it in hand. Its handler runs in turn, within `share` of the time of the node.
   * @see docs/spec.md, "Rate limits and quotas"
   */
  readonly guarded: (route: CostlyRoute, share: number) => Route;
  /** Requests that wait for their turn, those under way included. */
  readonly waiting: () => number;
}

/** Who waits longer than this has likely gone, and its body only takes room. */
const MAX_WAIT_MS = 10_000;
const MAX_WAITING = 256;
const WINDOW_S = 60;
/** One address may have this share of the bytes, and one body whatever its size. */
const SHARE_OF_BYTES = 1 / 8;
const STALL_MS = 10_000;

interface InHand {
  readonly requests: number;
  readonly bytes: number;
}
const NOTHING: InHand = { requests: 0, bytes: 0 };

/** One request, and what has come of its body. */
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

  /** One alone is let in whatever its size, or a small budget would shut it out for ever. */
  const assertRoom = ({ client, bytes: own }: Place, more: number): void => {
    const mine = client === null ? NOTHING : (underWay.get(client) ?? NOTHING);
    if (mine.bytes > own && mine.bytes + more > bytesPerAddress) throw tooManyAtOnce();
    if (bytesInHand > own && bytesInHand + more > bytesAtOnce) throw tooBusy();
  };

  /** Holds a place for as long as the request is worked at, from before its body is read. */
  const hold = async <T>(head: RequestHead, announced: number, work: () => Promise<T>): Promise<T> => {
    const client = clientOf(head);
    if (client !== null) {
      await refuseSpent(client);
      if ((underWay.get(client) ?? NOTHING).requests >= concurrencyPerAddress) throw tooManyAtOnce();
    }
    const place: Place = { client, bytes: 0 };
    // What would find no room beside what is here is not sent in vain.
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
      // Refusals too: to find the fault in a large body takes time.
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
            // Those of the same address that came before may have used up its time.
            if (client !== null) await refuseSpent(client);
          };
          return turns.take(begin, () => charged(client, () => handler(request)));
        },
      };
    },
  };
}

/** What is not announced may be as large as allowed. */
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
