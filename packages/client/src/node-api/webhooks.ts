import type { JsonMembers } from '../json.js';
import { jsonOf, request, type NodeAccess, type Question, type RequestOptions } from './request.js';
import type { RouteName } from './routes.js';

/**
 * The webhooks of the tenant. Changes are sent once, unless `retries` says otherwise.
 * @see docs/spec.md, "Webhooks of tenants"
 */
export interface NodeWebhooks {
  /** Oldest first. With a key that only reads, the origin of each address. */
  list(options?: RequestOptions): Promise<JsonMembers>;
  /** @param webhook `types` null or absent: every type. @returns the webhook and its secret, which is shown once */
  create(
    webhook: { readonly url: string; readonly types?: readonly string[] | null },
    options?: RequestOptions,
  ): Promise<JsonMembers>;
  /**
   * @param rotation `graceHours`: how long the old secret signs as well, 0 to 168; 24 when absent. `secretVersion`: the
   * version to replace; the current one when absent
   * @returns as `create`
   */
  rotate(
    id: string,
    rotation?: { readonly graceHours?: number; readonly secretVersion?: number },
    options?: RequestOptions,
  ): Promise<JsonMembers>;
  /** Removes it with its deliveries. */
  remove(id: string, options?: RequestOptions): Promise<JsonMembers>;
  /** Sends a message of the type `webhook.test`. */
  test(id: string, options?: RequestOptions): Promise<JsonMembers>;
  /** One page, newest first. @param page `before` is `next` of the page before; `limit` from 1 to 100 */
  deliveries(
    id: string,
    page?: { readonly before?: number; readonly limit?: number },
    options?: RequestOptions,
  ): Promise<JsonMembers>;
  sendAgain(id: string, deliveryId: string, options?: RequestOptions): Promise<JsonMembers>;
}

export function webhooksOf(access: NodeAccess): NodeWebhooks {
  const ask = (name: RouteName, question: Question): Promise<JsonMembers> => request(access, name, question, jsonOf);
  // Not retried: a second webhook could be added, and its secret would be lost.
  const send = (name: RouteName, parts: readonly string[], body: object, options?: RequestOptions) =>
    ask(name, {
      parts,
      body: { bytes: JSON.stringify(body), type: 'application/json' },
      options: { retries: 0, ...options },
    });
  return {
    list: (options) => ask('webhooks', { options }),
    create: (webhook, options) => send('createWebhook', [], webhook, options),
    rotate: (id, rotation = {}, options) => send('rotateWebhook', [id], rotation, options),
    remove: (id, options) => send('removeWebhook', [id], {}, options),
    test: (id, options) => send('testWebhook', [id], {}, options),
    deliveries: (id, page = {}, options) => ask('webhookDeliveries', { parts: [id], query: page, options }),
    sendAgain: (id, deliveryId, options) => send('sendDelivery', [id, deliveryId], {}, options),
  };
}
