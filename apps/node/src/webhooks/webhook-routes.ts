import { randomUUID } from 'node:crypto';
import {
  checkQuery,
  checkRequest,
  ok,
  parseJsonBody,
  pathParam,
  ServiceError,
  validationError,
  type RequestHead,
  type ServiceRequest,
  type ServiceResponse,
} from '@cer/http-service';
import { TEST_TYPE } from '../alerts/alert-types.js';
import { deliveryAnswer, deliveryIdOf, unknownDelivery } from '../alerts/delivery-answer.js';
import { messageTo } from '../alerts/messages.js';
import { mayBePermitted } from '../alerts/public-address.js';
import type { Gate } from '../auth/authenticate.js';
import type { CommitmentSecrets } from '../certify/commitment-secrets.js';
import type { DescribedRoute } from '../openapi/route-description.js';
import type { DeliveryOwner, Store, TenantWebhook } from '../store/index.js';
import { DESCRIPTIONS, DeliveriesQuery, NewWebhook, Rotation, WEBHOOK_ID, webhookAnswer } from './webhook-answers.js';
import { webhookSecret } from './webhook-secret.js';

export interface WebhookRouteDeps {
  readonly store: Pick<Store, 'webhooks' | 'alerts'>;
  readonly secrets: Pick<CommitmentSecrets, 'activeId' | 'secretOf'>;
  readonly gate: Pick<Gate, 'admit' | 'callerOf'>;
  /** Null or absent: tenants have no webhooks. */
  readonly tenantWebhooks?: { readonly allowsPrivate: boolean } | null | undefined;
  readonly now: () => Date;
}

const MAX_WEBHOOKS = 5;
/** Maximum messages that wait for one webhook, before a further test is refused. */
const MAX_WAITING = 10;
const HOUR_MS = 60 * 60_000;

type Handlers = Readonly<Record<keyof typeof DESCRIPTIONS, (request: ServiceRequest) => Promise<ServiceResponse>>>;

/** Webhooks of the caller's tenant. @see docs/spec.md, "Webhooks of tenants" */
export function webhookRoutes(deps: WebhookRouteDeps): DescribedRoute[] {
  const { gate } = deps;
  const handlers = webhookHandlers(deps);
  const reading = (of: keyof Handlers, path: string): DescribedRoute => ({
    ...{ method: 'GET', path, admit: gate.admit('audit', 'webhooks'), handler: handlers[of] },
    description: { group: 'Alerts', access: { scopes: ['audit', 'webhooks'] }, ...DESCRIPTIONS[of] },
  });
  const changing = (of: keyof Handlers, path: string): DescribedRoute => ({
    ...{ method: 'POST', path, admit: gate.admit('webhooks'), mediaTypes: ['application/json'], handler: handlers[of] },
    description: { group: 'Alerts', access: { scopes: ['webhooks'] }, ...DESCRIPTIONS[of] },
  });
  const all = '/v1/webhooks';
  const one = `${all}/:id`;
  return [
    reading('list', all),
    changing('create', all),
    changing('rotate', `${one}/rotate`),
    changing('remove', `${one}/remove`),
    changing('test', `${one}/test`),
    reading('deliveries', `${one}/deliveries`),
    changing('send', `${one}/deliveries/:delivery/send`),
  ];
}

function webhookHandlers(deps: WebhookRouteDeps): Handlers {
  const { store, secrets, gate, now } = deps;
  const { webhooks, alerts } = store;
  const tenantOf = (head: RequestHead): string => {
    if (deps.tenantWebhooks == null) {
      throw new ServiceError({
        code: 'NOT_FOUND',
        message: 'tenants have no webhooks on this node',
        members: { reasonCode: 'WEBHOOKS_OFF' },
      });
    }
    return gate.callerOf(head).tenantId;
  };
  const named = async (head: RequestHead): Promise<TenantWebhook> => {
    const tenantId = tenantOf(head);
    const id = pathParam(head, 'id');
    const found = WEBHOOK_ID.test(id) ? await webhooks.find(tenantId, id) : null;
    if (found === null) throw unknownWebhook();
    return found;
  };
  const ownerOf = ({ tenantId, webhookId }: TenantWebhook): DeliveryOwner => ({ tenantId, webhookId });
  const withSecret = (webhook: TenantWebhook): ServiceResponse =>
    secretly({
      webhook: webhookAnswer(webhook, now().getTime()),
      secret: webhookSecret(secrets, webhook, webhook.secretVersion),
    });

  const list = async (request: RequestHead): Promise<ServiceResponse> => {
    const found = await webhooks.list(tenantOf(request));
    // Many receivers have a credential in the path of their address.
    const isChanging = gate.callerOf(request).scopes.has('webhooks');
    const answers = found.map((webhook) => webhookAnswer(webhook, now().getTime()));
    return ok({
      webhooks: isChanging ? answers : answers.map((webhook) => ({ ...webhook, url: new URL(webhook.url).origin })),
    });
  };
  const create = async (request: ServiceRequest): Promise<ServiceResponse> => {
    const tenantId = tenantOf(request);
    const { id, url, types } = checkRequest(NewWebhook, parseJsonBody(request));
    const { protocol, hostname } = new URL(url);
    const allowsPrivate = deps.tenantWebhooks?.allowsPrivate === true;
    if (!allowsPrivate && protocol !== 'https:') throw validationError(['url: must be an https URL']);
    if (!mayBePermitted(hostname, allowsPrivate))
      throw validationError(['url: must not be a private or link-local address']);
    const webhook: TenantWebhook = {
      ...{ webhookId: id ?? `wh_${randomUUID()}`, tenantId, url, types: types ?? null, secretId: secrets.activeId },
      ...{ secretVersion: 1, previousUntilMs: 0, createdMs: now().getTime() },
    };
    if (!(await webhooks.add(webhook, MAX_WEBHOOKS))) {
      const isTaken = id !== undefined && (await webhooks.byIds([id])).length > 0;
      throw validationError([isTaken ? 'id: is that of a webhook' : `a tenant has at most ${MAX_WEBHOOKS} webhooks`]);
    }
    return withSecret(webhook);
  };
  const rotate = async (request: ServiceRequest): Promise<ServiceResponse> => {
    const webhook = await named(request);
    const { graceHours, secretVersion = webhook.secretVersion } = checkRequest(Rotation, parseJsonBody(request));
    if (secretVersion !== webhook.secretVersion) throw rotatedBefore();
    const changed = { ...webhook, previousUntilMs: graceHours === 0 ? 0 : now().getTime() + graceHours * HOUR_MS };
    const result = await webhooks.rotate(changed);
    if (result === 'unknown') throw unknownWebhook();
    if (result === 'superseded') throw rotatedBefore();
    return withSecret({ ...changed, secretVersion: webhook.secretVersion + 1 });
  };
  const remove = async (request: RequestHead): Promise<ServiceResponse> => {
    const { tenantId, webhookId } = await named(request);
    await webhooks.remove(tenantId, webhookId);
    return ok({ ok: true });
  };
  const test = async (request: RequestHead): Promise<ServiceResponse> => {
    const webhook = await named(request);
    const at = now();
    const payload = JSON.stringify({ type: TEST_TYPE, timestamp: at.toISOString(), data: {} });
    const message = messageTo({ tenantId: webhook.tenantId, name: webhook.webhookId }, TEST_TYPE, payload, at);
    if (!(await alerts.addMessage(message, MAX_WAITING))) {
      throw new ServiceError({
        code: 'RATE_LIMITED',
        message: `${MAX_WAITING} messages wait for this webhook`,
        headers: { 'retry-after': '60' },
      });
    }
    return ok({ ok: true, deliveryId: message.deliveryId });
  };
  const deliveries = async (request: RequestHead): Promise<ServiceResponse> => {
    const webhook = await named(request);
    const { before, limit } = checkQuery(DeliveriesQuery, request.query);
    const found = await alerts.deliveriesOf(ownerOf(webhook), Number(before), Number(limit) + 1);
    const shown = found.slice(0, Number(limit));
    const next = found.length > shown.length ? (shown.at(-1)?.seq ?? null) : null;
    return ok({ deliveries: shown.map(deliveryAnswer), next });
  };
  const send = async (request: RequestHead): Promise<ServiceResponse> => {
    const owner = { tenantId: tenantOf(request), webhookId: pathParam(request, 'id') };
    if (!WEBHOOK_ID.test(owner.webhookId)) throw unknownDelivery();
    if (!(await alerts.sendAgain(owner, deliveryIdOf(request, 'delivery'), now().getTime()))) throw unknownDelivery();
    return ok({ ok: true });
  };
  return { list, create, rotate, remove, test, deliveries, send };
}

/** An answer with a secret, which no cache stores. */
function secretly(body: Parameters<typeof ok>[0]): ServiceResponse {
  return ok(body, { 'cache-control': 'no-store' });
}

function rotatedBefore(): ServiceError<'WEBHOOK_ROTATED'> {
  return new ServiceError({
    code: 'WEBHOOK_ROTATED',
    message: 'the secret was rotated concurrently: rotate it again',
  });
}

function unknownWebhook(): ServiceError<'NOT_FOUND'> {
  return new ServiceError({
    code: 'NOT_FOUND',
    message: 'there is no such webhook',
    members: { reasonCode: 'WEBHOOK_NOT_FOUND' },
  });
}
