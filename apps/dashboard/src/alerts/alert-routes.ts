import { pathParam, ServiceError, type RequestHead } from '@cer/http-service';
import type { Logger } from '@cer/http-service/process';
import type { DescribedRoute } from '../openapi/route-description.js';
import { nodePage } from '../records/node-page.js';
import type { ActName, Store } from '../store/index.js';
import type { FormFault } from '../web/form.js';
import { graceHoursOf } from '../web/grace-periods.js';
import { noticeText } from '../web/notices.js';
import type { PageWords } from '../web/page-description.js';
import { mayChange, type Pages, type SignedIn } from '../web/pages.js';
import { FORM_ID, knownForm, makeOnce, newIdOf, sentBefore, sentForm } from '../web/sent-once.js';
import { alertsPage, WEBHOOK_ID, webhookSecretPage } from './alert-pages.js';
import { ALERT_TYPES, WEBHOOK_LABELS as LABELS } from './alert-texts.js';
import type { NodeWebhooks, Webhook } from './node-webhooks.js';
import { SECRET_VERSION, webhookPage } from './webhook-page.js';

export interface AlertRoutesDeps {
  readonly pages: Pages;
  readonly store: Pick<Store, 'note' | 'noteOnce' | 'useForm'>;
  readonly nodeWebhooks: NodeWebhooks;
  readonly now: () => Date;
  readonly logger: Logger;
}

const TITLE = 'Alerts';

/** The account's webhooks, which the node keeps: made, tried, rotated, removed, and what was sent to them. */
export function alertRoutes({ pages, store, nodeWebhooks, now, logger }: AlertRoutesDeps): readonly DescribedRoute[] {
  const idOf = (head: RequestHead): string => pathParam(head, 'webhookId');
  const webhooksOf = ({ session }: SignedIn) => nodeWebhooks.list(session.tenant.tenantId, mayChange(session));
  const webhookOf = async (visitor: SignedIn): Promise<Webhook> => {
    const found = (await webhooksOf(visitor)).find(({ id }) => id === idOf(visitor.head));
    if (found === undefined) throw unknownWebhook();
    return found;
  };
  const note = ({ session: { tenant, user } }: SignedIn, act: ActName, { url }: Pick<Webhook, 'url'>, end = '') =>
    // The path of an address may be a credential of its receiver.
    store.note(tenant.tenantId, act, new URL(url).host + end, user.email);
  /** An act that cannot be asked for again: the node may have done it although its answer was lost. */
  const noted = async <Made>(visitor: SignedIn, act: ActName, webhook: Webhook, ask: () => Promise<Made>) => {
    let made: Made;
    try {
      made = await ask();
    } catch (error) {
      const isKnown = error instanceof ServiceError && error.code !== 'SERVICE_UNAVAILABLE';
      if (!isKnown) await note(visitor, act, webhook, ' (not confirmed by the node)');
      throw error;
    }
    await note(visitor, act, webhook);
    return made;
  };
  /** Once for each form: the answer to its first request may have been lost. */
  const noteAdded = async (visitor: SignedIn, formId: string | undefined, webhook: Pick<Webhook, 'url'>) => {
    if (formId === undefined) return note(visitor, 'webhook added', webhook);
    const { tenant, user } = visitor.session;
    const form = knownForm(`${tenant.tenantId} ${formId}`, now());
    return store.noteOnce(form, tenant.tenantId, 'webhook added', new URL(webhook.url).host, user.email);
  };
  const view = (path: string, back: string, words: PageWords, show: Parameters<Pages['view']>[2]): DescribedRoute =>
    nodePage({ pages, logger }, { path, title: TITLE, words, back: { path: back, label: 'Try again' } }, show);
  return [
    view('/alerts', '/alerts', 'Webhooks for alerts', async (visitor) => {
      const { session, formToken, head } = visitor;
      const webhooks = await webhooksOf(visitor);
      return alertsPage({ formToken, webhooks, mayChange: mayChange(session), notice: noticeText(head.query) });
    }),
    view(
      '/alerts/:webhookId',
      '/alerts',
      { summary: 'A webhook and its messages', query: ['before'] },
      async (visitor) => {
        const { session, formToken, head } = visitor;
        const before = head.query.get('before');
        const webhook = await webhookOf(visitor);
        const deliveries = await nodeWebhooks.deliveries(session.tenant.tenantId, webhook.id, before);
        return webhookPage({
          ...{ formToken, webhook, deliveries, isContinued: before !== null },
          ...{ mayChange: mayChange(session), notice: noticeText(head.query) },
        });
      },
    ),
    pages.act(
      '/alerts',
      'owner',
      { summary: 'Add a webhook', fields: ['url', 'types', WEBHOOK_ID] },
      async (visitor, fields) => {
        const { session, formToken } = visitor;
        const formId = newIdOf(fields, WEBHOOK_ID);
        const url = (fields.get('url') ?? '').trim();
        const types = ALERT_TYPES.map(([type]) => type).filter((type) => fields.getAll('types').includes(type));
        const faults = [
          ...(URL.canParse(url) ? [] : [{ field: 'url', sentence: `${LABELS.url} must be a whole https address.` }]),
          ...(types.length > 0 ? [] : [{ field: 'types', sentence: `${LABELS.types} needs at least one choice.` }]),
        ];
        const again = async (found: readonly FormFault[]) =>
          alertsPage({
            formToken,
            webhooks: await webhooksOf(visitor),
            mayChange: true,
            given: { url, types },
            faults: found,
          });
        if (faults.length > 0) return again(faults);
        try {
          const chosen = types.length === ALERT_TYPES.length ? null : types;
          const id = formId === undefined ? undefined : `wh_${formId}`;
          const made = await nodeWebhooks.create(session.tenant.tenantId, { id, url, types: chosen });
          await noteAdded(visitor, formId, made.webhook);
          return webhookSecretPage(made);
        } catch (error) {
          const refusal: ServiceError | null = error instanceof ServiceError ? error : null;
          if (refusal?.code !== 'VALIDATION_ERROR') throw error;
          if (!isTakenId(refusal)) return again(nodeFaults(refusal));
          await noteAdded(visitor, formId, { url });
          throw sentBefore(
            'added one webhook, whose secret was shown then. If you have not copied it, make a new one on the page of the webhook.',
          );
        }
      },
    ),
    pages.act(
      '/alerts/:webhookId/rotate',
      'owner',
      { summary: 'Rotate the secret of a webhook', fields: ['grace_hours', SECRET_VERSION] },
      async (visitor, fields) => {
        const graceHours = graceHoursOf(fields, 'Choose how long the old secret is used too.');
        const version = fields.get(SECRET_VERSION);
        const rotation = { graceHours, secretVersion: version === null ? undefined : Number(version) };
        const webhook = await webhookOf(visitor);
        const { tenantId } = visitor.session.tenant;
        const rotate = () => nodeWebhooks.rotate(tenantId, webhook.id, rotation);
        return webhookSecretPage(await noted(visitor, 'webhook secret rotated', webhook, rotate));
      },
    ),
    pages.act('/alerts/:webhookId/remove', 'owner', 'Remove a webhook', async (visitor) => {
      const webhook = await webhookOf(visitor);
      const { tenantId } = visitor.session.tenant;
      await noted(visitor, 'webhook removed', webhook, () => nodeWebhooks.remove(tenantId, webhook.id));
      return { goTo: '/alerts?done=webhook-removed' };
    }),
    pages.act(
      '/alerts/:webhookId/test',
      'owner',
      { summary: 'Send a test message', fields: [FORM_ID] },
      async (visitor, fields) => {
        const webhook = await webhookOf(visitor);
        // Before it is sent: a message cannot be taken back.
        await makeOnce(
          () => store.useForm(sentForm(fields, now())),
          'asked for one test message: see the list of messages. Load the page of the webhook again to send another.',
        );
        await nodeWebhooks.test(visitor.session.tenant.tenantId, webhook.id);
        await note(visitor, 'webhook tested', webhook);
        return { goTo: `/alerts/${webhook.id}?done=webhook-tested` };
      },
    ),
    pages.act('/alerts/:webhookId/messages/:deliveryId/send', 'owner', 'Send a message again', async (visitor) => {
      const webhook = await webhookOf(visitor);
      const { tenantId } = visitor.session.tenant;
      await nodeWebhooks.sendAgain(tenantId, webhook.id, pathParam(visitor.head, 'deliveryId'));
      await note(visitor, 'message sent again', webhook);
      return { goTo: `/alerts/${webhook.id}?done=message-sent-again` };
    }),
  ];
}

/** Whether the form was sent before, and the node has its webhook. */
function isTakenId({ refusal: { details = [] } }: ServiceError): boolean {
  return details.some((detail) => detail.startsWith('id: '));
}

/** The faults that the node finds, which name members of its request, at the fields of the form. */
function nodeFaults({ message, refusal: { details = [] } }: ServiceError): readonly FormFault[] {
  if (details.length === 0) return [{ field: 'url', sentence: message }];
  return details.map((detail) => {
    const [, field, rule] = /^(url|types)\b[^:]*: (.*)$/s.exec(detail) ?? [];
    if (rule === undefined || (field !== 'url' && field !== 'types')) return { field: 'url', sentence: `${detail}.` };
    return { field, sentence: `${LABELS[field]} ${rule}.` };
  });
}

function unknownWebhook(): ServiceError {
  return new ServiceError({ code: 'NOT_FOUND', message: 'This account has no such webhook.' });
}
