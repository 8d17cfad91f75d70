import type { JsonObject } from '@cer/canonical-json';
import * as z from 'zod';
import type { AskNode } from '../records/ask-node.js';
import { checked } from '../records/node-records.js';
import type { ReaderKey } from '../store/index.js';

const text = z.string();
const count = z.int().min(0);
const Webhook = z.object({
  id: text,
  url: z.url({ protocol: /^https?$/ }),
  types: z.array(text).nullable(),
  createdAt: text,
  secretVersion: count,
  previousSecretUntil: text.nullable(),
});
const WebhooksAnswer = z.object({ webhooks: z.array(Webhook) });
const SecretAnswer = z.object({ webhook: Webhook, secret: text });
const Delivery = z.object({
  ...{ seq: count, id: text, type: text, createdAt: text, state: z.enum(['waiting', 'delivered', 'failed']) },
  ...{ attempts: count, attemptedAt: text.nullable(), result: text.nullable(), nextAttemptAt: text.nullable() },
  message: z.json(),
});
const DeliveriesAnswer = z.object({ deliveries: z.array(Delivery), next: z.int().nullable() });

/** @see docs/spec.md, "Webhooks of tenants" */
export type Webhook = Readonly<z.output<typeof Webhook>>;
export type NewWebhook = Pick<Webhook, 'url' | 'types'> & { readonly id?: string | undefined };
export interface Rotation {
  readonly graceHours: number;
  readonly secretVersion: number | undefined;
}
export type WebhookSecret = Readonly<z.output<typeof SecretAnswer>>;
export type Delivery = Readonly<z.output<typeof Delivery>>;
export type Deliveries = Readonly<z.output<typeof DeliveriesAnswer>>;

/** The webhooks of one tenant on the node. @throws ServiceError with a sentence for the reader of the page */
export interface NodeWebhooks {
  /** @param showsPath whether addresses are whole; otherwise their origins */
  list(tenantId: string, showsPath: boolean): Promise<readonly Webhook[]>;
  deliveries(tenantId: string, id: string, before: string | null): Promise<Deliveries>;
  /**
   * @param webhook `id`: absent, the node makes one; `types` null: every type
   * @throws ServiceError VALIDATION_ERROR with the faults that the node finds as `details`
   */
  create(tenantId: string, webhook: NewWebhook): Promise<WebhookSecret>;
  /**
   * @param rotation `secretVersion`: the version that it replaces; absent, the one that the node has
   * @throws ServiceError VALIDATION_ERROR when another rotation preceded this one
   */
  rotate(tenantId: string, id: string, rotation: Rotation): Promise<WebhookSecret>;
  remove(tenantId: string, id: string): Promise<void>;
  test(tenantId: string, id: string): Promise<void>;
  sendAgain(tenantId: string, id: string, deliveryId: string): Promise<void>;
}

/** Asks the node with a key that reads, or one that changes webhooks. */
export function createNodeWebhooks(ask: AskNode): NodeWebhooks {
  const get = (tenantId: string, path: string, scope: ReaderKey['scope'] = 'audit') =>
    ask({ path: `/v1/webhooks${path}`, tenantId, scope });
  const post = (tenantId: string, path: string, body: JsonObject = {}) =>
    ask({ path: `/v1/webhooks${path}`, tenantId, scope: 'webhooks', body });
  const at = (id: string): string => `/${encodeURIComponent(id)}`;
  const done = async (response: Promise<Response>): Promise<void> => {
    await (await response).body?.cancel();
  };
  return {
    list: async (tenantId, showsPath) =>
      (await checked(WebhooksAnswer, await get(tenantId, '', showsPath ? 'webhooks' : 'audit'))).webhooks,
    deliveries: async (tenantId, id, before) => {
      const query = new URLSearchParams({ limit: '20', ...(before !== null && { before }) });
      return checked(DeliveriesAnswer, await get(tenantId, `${at(id)}/deliveries?${query.toString()}`));
    },
    create: async (tenantId, { id, url, types }) => {
      const body = { ...(id !== undefined && { id }), url, types: types === null ? null : [...types] };
      return checked(SecretAnswer, await post(tenantId, '', body));
    },
    rotate: async (tenantId, id, { graceHours, secretVersion }) => {
      const body = { graceHours, ...(secretVersion !== undefined && { secretVersion }) };
      return checked(SecretAnswer, await post(tenantId, `${at(id)}/rotate`, body));
    },
    remove: (tenantId, id) => done(post(tenantId, `${at(id)}/remove`)),
    test: (tenantId, id) => done(post(tenantId, `${at(id)}/test`)),
    sendAgain: (tenantId, id, deliveryId) =>
      done(post(tenantId, `${at(id)}/deliveries/${encodeURIComponent(deliveryId)}/send`)),
  };
}
