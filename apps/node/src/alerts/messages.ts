import { randomUUID } from 'node:crypto';
import type { NewAlertDelivery } from '../store/index.js';
import type { FiringAlert } from './alert-types.js';
import type { AlertEndpoint } from './endpoints.js';

/**
 * The messages about one change, one for each endpoint that wants the type.
 * @param isFiring false: the condition ended
 */
export function messagesOf(
  endpoints: readonly AlertEndpoint[],
  { type, subject, details }: FiringAlert,
  isFiring: boolean,
  at: Date,
): readonly NewAlertDelivery[] {
  const status = isFiring ? 'firing' : 'resolved';
  const payload = JSON.stringify({ type, timestamp: at.toISOString(), data: { status, subject, ...details } });
  return endpoints
    .filter(({ types }) => types === null || types.includes(type))
    .map((endpoint) => messageTo(endpoint, type, payload, at));
}

/** A message to one endpoint. */
export function messageTo(
  { tenantId, name }: Pick<AlertEndpoint, 'tenantId' | 'name'>,
  type: string,
  payload: string,
  at: Date,
): NewAlertDelivery {
  return { tenantId, deliveryId: `msg_${randomUUID()}`, endpoint: name, type, payload, createdMs: at.getTime() };
}
