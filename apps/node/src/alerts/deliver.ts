import type { Logger } from '@cer/http-service/process';
import type { AlertDelivery, AlertStore, DeliveryState } from '../store/index.js';
import type { AlertEndpoint } from './endpoints.js';
import type { PostResult, PostWebhook } from './post-webhook.js';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
/** Pause after each failed attempt; after the last one a delivery has failed. */
export const RETRY_AFTER_MS: readonly number[] = [
  5 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
];

/** Maximum requests at once. */
const MAX_RUNNING = 100;
/** Maximum requests at once to one receiver: those of a hanging one leave the other places free. */
const MAX_RUNNING_OF_RECEIVER = 2;
/** 410 Gone: the receiver wants no further attempt. */
const GONE = 410;

export interface DeliverDeps {
  readonly alerts: AlertStore;
  readonly post: PostWebhook;
  readonly now: () => Date;
  readonly logger: Logger;
}

/** Endpoints of one kind of owner. */
export interface Recipients {
  readonly whose: 'operator' | 'tenants';
  /** The existing ones of these names. */
  readonly named: (names: readonly string[]) => Promise<readonly AlertEndpoint[]>;
}

/** A turn that lasts while a receiver hangs, and sends what becomes due during that time. */
export interface Turn {
  /** Aborted: starts no further delivery, and ends with those that run. */
  readonly signal: AbortSignal;
  /** Ends when messages may have become due, and at once when the signal aborts. */
  readonly pause: () => Promise<void>;
}

/** For one turn over what is due now. */
const NO_PAUSE: Turn = { signal: new AbortController().signal, pause: () => new Promise(() => undefined) };

/**
 * Sends due messages until none is due and none runs. A delivery that ends makes room for the next one; a hanging
 * receiver occupies its own places only, and delays no message to another one.
 */
export async function deliverDue(deps: DeliverDeps, recipients: Recipients, turn = NO_PAUSE): Promise<void> {
  const { alerts, now } = deps;
  const { whose, named } = recipients;
  const running = new Map<AlertDelivery['deliveryId'], Running>();
  const failures: unknown[] = [];

  const start = async (): Promise<void> => {
    // One that ends during the query is among its rows as one that waits.
    const ran = new Set(running.keys());
    const due = await alerts.due(whose, now().getTime(), MAX_RUNNING);
    const waiting = due.filter(({ deliveryId }) => !ran.has(deliveryId));
    const endpoints = waiting.length === 0 ? [] : await named([...new Set(waiting.map(({ endpoint }) => endpoint))]);
    for (const delivery of waiting) {
      const { deliveryId, tenantId, endpoint } = delivery;
      const toReceiver = [...running.values()].filter((one) => one.tenantId === tenantId && one.endpoint === endpoint);
      if (running.size >= MAX_RUNNING || toReceiver.length >= MAX_RUNNING_OF_RECEIVER) continue;
      const receiver = endpoints.find(({ name }) => name === endpoint);
      const ended = attempt(deps, delivery, receiver)
        .catch((error: unknown) => failures.push(error))
        .then(() => void running.delete(deliveryId));
      running.set(deliveryId, { tenantId, endpoint, ended });
    }
  };
  const ends = (): readonly Promise<void>[] => [...running.values()].map(({ ended }) => ended);

  let pause: Promise<void> | null = null;
  while (!turn.signal.aborted && failures.length === 0) {
    pause ??= turn.pause().then(() => {
      pause = null;
    });
    const paused = pause;
    const wasIdle = running.size === 0;
    await start().catch((error: unknown) => failures.push(error));
    if (running.size > 0) await Promise.race([...ends(), paused]);
    else if (wasIdle) break;
  }
  await Promise.all(ends());
  if (failures.length > 0) throw failures[0];
}

/** A delivery whose request is in progress. */
interface Running extends Pick<AlertDelivery, 'tenantId' | 'endpoint'> {
  readonly ended: Promise<void>;
}

async function attempt(
  { alerts, post, now, logger }: DeliverDeps,
  delivery: AlertDelivery,
  endpoint: AlertEndpoint | undefined,
): Promise<void> {
  const result = endpoint === undefined ? null : await post(endpoint, delivery);
  const at = now().getTime();
  const attempts = delivery.attempts + 1;
  const { state, pauseMs } = outcomeOf(result, attempts);
  const said = resultText(result);
  const { deliveryId, type } = delivery;
  await alerts.noteAttempt({ deliveryId, state, attempts, dueMs: at + pauseMs, attemptedMs: at, result: said });
  if (state !== 'delivered') {
    logger.warn({ endpoint: delivery.endpoint, type, attempts, result: said }, 'an alert was not delivered');
  }
}

/** Only 2xx is a receipt: a redirect is a failure. @param result null for an endpoint that is not configured */
function outcomeOf(
  result: PostResult | null,
  attempts: number,
): { readonly state: DeliveryState; readonly pauseMs: number } {
  if (isReceived(result)) return { state: 'delivered', pauseMs: 0 };
  const pauseMs = RETRY_AFTER_MS[attempts - 1];
  const isOver = result === null || ('status' in result && result.status === GONE) || pauseMs === undefined;
  return isOver ? { state: 'failed', pauseMs: 0 } : { state: 'waiting', pauseMs };
}

/** Whether the receiver has the message. */
export function isReceived(result: PostResult | null): boolean {
  return result !== null && 'status' in result && result.status >= 200 && result.status < 300;
}

function resultText(result: PostResult | null): string {
  if (result === null) return 'ENDPOINT_REMOVED';
  return 'status' in result ? String(result.status) : result.failure;
}
