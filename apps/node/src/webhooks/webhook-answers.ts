import * as z from 'zod';
import { TENANT_ALERT_TYPES } from '../alerts/alert-types.js';
import { DELIVERY_ANSWER, timeOf } from '../alerts/delivery-answer.js';
import { isWebhookUrl, MAX_URL_CHARACTERS } from '../alerts/endpoints.js';
import { COUNT, list, object, OK, TEXT, TIME, TIME_OR_NULL } from '../openapi/answer-shapes.js';
import { queryOf, requestSchema } from '../openapi/request-schema.js';
import type { JsonSchema, RouteDescription } from '../openapi/route-description.js';
import type { TenantWebhook } from '../store/index.js';

/** Maximum time for which the secret before the current one still signs. */
const MAX_GRACE_HOURS = 7 * 24;
const DEFAULT_GRACE_HOURS = 24;

/** An id that the node or a form of the dashboard makes. */
export const WEBHOOK_ID = /^wh_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const NewWebhook = z.strictObject({
  id: z.string().regex(WEBHOOK_ID, { error: 'must be wh_ and a UUID' }).optional(),
  url: z
    .string()
    .max(MAX_URL_CHARACTERS, { error: `must have at most ${MAX_URL_CHARACTERS} characters` })
    .refine(isWebhookUrl, { error: 'must be an https URL without credentials or fragment' }),
  types: z
    .array(z.enum(TENANT_ALERT_TYPES, { error: `must be of ${TENANT_ALERT_TYPES.join(', ')}` }))
    .min(1)
    .max(TENANT_ALERT_TYPES.length)
    .nullable()
    .optional(),
});

export const Rotation = z.strictObject({
  graceHours: z
    .int({ error: 'must be a whole number of hours' })
    .min(0)
    .max(MAX_GRACE_HOURS, { error: `must be at most ${MAX_GRACE_HOURS}` })
    .default(DEFAULT_GRACE_HOURS),
  secretVersion: z.int({ error: 'must be a whole number from 1' }).min(1).optional(),
});

export const DeliveriesQuery = z.strictObject({
  before: z
    .string()
    .regex(/^[1-9]\d{0,14}$/, { error: 'must be a whole number from 1' })
    .default('999999999999999'),
  limit: z
    .string()
    .regex(/^([1-9]\d?|100)$/, { error: 'must be a whole number from 1 to 100' })
    .default('50'),
});

const WEBHOOK: JsonSchema = object({
  id: TEXT,
  url: { ...TEXT, description: 'For a key without the scope `webhooks` the origin only.' },
  types: {
    type: ['array', 'null'],
    items: { enum: TENANT_ALERT_TYPES },
    description: 'Null: every type, those of later releases included.',
  },
  createdAt: TIME,
  secretVersion: { ...COUNT, description: 'From 1; one more after each rotation.' },
  previousSecretUntil: { ...TIME_OR_NULL, description: 'Until then the secret before the current one signs as well.' },
});
const SECRET_ANSWER = object({ webhook: WEBHOOK, secret: { ...TEXT, pattern: '^whsec_[A-Za-z0-9+/]{43}=$' } });
const EMPTY_BODY = { body: { schema: { type: 'object' }, optional: true } } as const;

/** The description of each route in the interface document. */
export const DESCRIPTIONS = {
  list: {
    summary: "The tenant's webhooks",
    success: { 200: { schema: object({ webhooks: list(WEBHOOK) }), description: 'Oldest first.' } },
    errors: ['NOT_FOUND'],
  },
  create: {
    summary: 'Add a webhook',
    body: { schema: requestSchema(NewWebhook) },
    success: { 200: { schema: SECRET_ANSWER, description: 'The webhook and its secret, which is shown once.' } },
    errors: ['NOT_FOUND'],
  },
  rotate: {
    summary: 'Make a new secret of a webhook',
    body: { schema: requestSchema(Rotation) },
    success: { 200: { schema: SECRET_ANSWER, description: 'The new secret, which is shown once.' } },
    errors: ['NOT_FOUND', 'WEBHOOK_ROTATED'],
  },
  remove: {
    summary: 'Remove a webhook and its deliveries',
    ...EMPTY_BODY,
    success: { 200: { schema: object({ ok: OK }), description: 'Nothing is sent to it any more.' } },
    errors: ['NOT_FOUND'],
  },
  test: {
    summary: 'Send a test message to a webhook',
    ...EMPTY_BODY,
    success: { 200: { schema: object({ ok: OK, deliveryId: TEXT }), description: 'It is sent in the next seconds.' } },
    errors: ['NOT_FOUND'],
  },
  deliveries: {
    summary: 'The messages of a webhook',
    query: queryOf(DeliveriesQuery, { before: 'Deliveries before this seq.', limit: 'Deliveries a page, 1 to 100.' }),
    success: {
      200: {
        schema: object({
          deliveries: list(DELIVERY_ANSWER),
          next: { type: ['integer', 'null'], description: 'The `before` of the next page; null at the end.' },
        }),
        description: 'Deliveries, newest first, and where to go on.',
      },
    },
    errors: ['NOT_FOUND'],
  },
  send: {
    summary: 'Send a message to a webhook again',
    ...EMPTY_BODY,
    success: { 200: { schema: object({ ok: OK }), description: 'It is sent in the next seconds.' } },
    errors: ['NOT_FOUND'],
  },
} as const satisfies Readonly<Record<string, Omit<RouteDescription, 'group' | 'access'>>>;

/** A webhook in answers, without its secret. */
export function webhookAnswer(webhook: TenantWebhook, nowMs: number) {
  const { webhookId, url, types, createdMs, secretVersion, previousUntilMs } = webhook;
  return {
    ...{ id: webhookId, url, types, createdAt: timeOf(createdMs), secretVersion },
    previousSecretUntil: nowMs < previousUntilMs ? timeOf(previousUntilMs) : null,
  };
}
