import * as z from 'zod';
import { pathParam, ServiceError, type RequestHead } from '@cer/http-service';
import { COUNT, free, object, oneOf, TEXT, TEXT_OR_NULL, TIME, TIME_OR_NULL } from '../openapi/answer-shapes.js';
import type { AlertDelivery } from '../store/index.js';

/** A delivery in answers. */
export const DELIVERY_ANSWER = object({
  seq: COUNT,
  id: TEXT,
  endpoint: TEXT,
  type: TEXT,
  message: free('The body as it is sent.'),
  createdAt: TIME,
  state: oneOf('waiting', 'delivered', 'failed'),
  attempts: COUNT,
  attemptedAt: TIME_OR_NULL,
  result: TEXT_OR_NULL,
  nextAttemptAt: TIME_OR_NULL,
});

const DeliveryId = z.string().regex(/^msg_[0-9a-f-]{36}$/);

export function deliveryAnswer(delivery: AlertDelivery) {
  const { seq, deliveryId: id, endpoint, type, payload, createdMs, state, attempts, dueMs } = delivery;
  const message: unknown = JSON.parse(payload);
  return {
    ...{ seq, id, endpoint, type, message, createdAt: timeOf(createdMs), state, attempts },
    attemptedAt: delivery.attemptedMs === null ? null : timeOf(delivery.attemptedMs),
    result: delivery.result,
    nextAttemptAt: state === 'waiting' ? timeOf(dueMs) : null,
  };
}

/** The delivery that a path names. @throws ServiceError NOT_FOUND for what is not an id */
export function deliveryIdOf(head: RequestHead, name: string): string {
  const id = DeliveryId.safeParse(pathParam(head, name));
  if (!id.success) throw unknownDelivery();
  return id.data;
}

export function unknownDelivery(): ServiceError<'NOT_FOUND'> {
  return new ServiceError({
    code: 'NOT_FOUND',
    message: 'there is no such delivery',
    members: { reasonCode: 'DELIVERY_NOT_FOUND' },
  });
}

/** A time in the form of answers. @param ms since 1970 */
export function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
