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

/** Deliveries per turn: each may take the whole time of a request. */
const DELIVERIES_A_TURN = 20;
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

/**
 * Sends due messages, to all endpoints concurrently: a hanging endpoint delays no other message of this turn, and the
 * next turn by the time of one request.
 */
export async function deliverDue(
  { alerts, post, now, logger }: DeliverDeps,
  { whose, named }: Recipients,
): Promise<void> {
  const due = await alerts.due(whose, now().getTime(), DELIVERIES_A_TURN);
  const endpoints = due.length === 0 ? [] : await named([...new Set(due.map(({ endpoint }) => endpoint))]);
  const attempt = async (delivery: AlertDelivery): Promise<void> => {
    const endpoint = endpoints.find(({ name }) => name === delivery.endpoint);
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
  };
  await Promise.all(due.map(attempt));
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
