import { html, type Html } from '@cer/pages';
import { choiceField, faultSummary, formTokenField, textField } from '../web/fields.js';
import type { FormFault } from '../web/form.js';
import { moment } from '../web/moments.js';
import type { PageAnswer } from '../web/page-answer.js';
import { newIdField } from '../web/sent-once.js';
import { ALERT_TYPES, typeName, WEBHOOK_LABELS as LABELS } from './alert-texts.js';
import type { Webhook, WebhookSecret } from './node-webhooks.js';

export const WEBHOOK_ID = 'webhook_id';

export interface AlertsPage {
  readonly formToken: string;
  readonly webhooks: readonly Webhook[];
  readonly mayChange: boolean;
  readonly given?: { readonly url: string; readonly types: readonly string[] };
  readonly faults?: readonly FormFault[];
  readonly notice?: string | undefined;
}

/** The addresses to which alerts about an account are posted. */
export function alertsPage({ formToken, webhooks, mayChange, given, faults, notice }: AlertsPage): PageAnswer {
  return {
    title: 'Alerts',
    notice,
    ...(faults !== undefined && { status: 422 }),
    body: html`<p class="lead">
        The attestation node posts alerts about this account to your webhooks, signed as
        <a href="https://www.standardwebhooks.com">Standard Webhooks</a> describe. They name conditions, numbers and
        times, and never contain inputs, outputs or keys.
      </p>
      ${faultSummary(faults)}
      ${
        webhooks.length === 0
          ? html`<p class="card empty">No webhooks yet: no alert is sent.</p>`
          : html`<ul class="items">
              ${webhooks.map(webhookItem)}
            </ul>`
      }
      ${mayChange ? newWebhookForm(formToken, given, faults) : html`<p>Only an owner of this account changes webhooks.</p>`}`,
  };
}

function webhookItem({ id, url, types, createdAt }: Webhook): Html {
  return html`<li class="card item">
    <div class="item-head"><h2>${new URL(url).host}</h2></div>
    <dl>
      <div>
        <dt>Address</dt>
        <dd><code>${url}</code></dd>
      </div>
      <div>
        <dt>Receives</dt>
        <dd>${typesText(types)}</dd>
      </div>
      <div>
        <dt>Added</dt>
        <dd>${moment(createdAt)}</dd>
      </div>
    </dl>
    <p class="acts">
      <a href="/alerts/${id}">Messages and settings<span class="unseen"> of ${new URL(url).host}</span></a>
    </p>
  </li>`;
}

/** The types of a webhook in words. */
export function typesText(types: Webhook['types']): string {
  return types === null ? 'Everything' : types.map(typeName).join(', ');
}

function newWebhookForm(formToken: string, given: AlertsPage['given'], faults: readonly FormFault[] | undefined): Html {
  return html`<section aria-labelledby="new-webhook">
    <h2 id="new-webhook">Add a webhook</h2>
    <p>It receives what changes after you add it. A condition that began before is not sent again.</p>
    <form method="post" action="/alerts" class="card">
      ${formTokenField(formToken)} ${newIdField(WEBHOOK_ID)}
      ${textField({ name: 'url', label: LABELS.url, value: given?.url, hint: 'A public https address, e.g. https://hooks.example.com/cer.', faults })}
      ${choiceField(
        'checkbox',
        'types',
        LABELS.types,
        ALERT_TYPES.map(([value, label, hint]) => ({
          ...{ value, label, hint },
          chosen: given === undefined || given.types.includes(value),
        })),
        faults,
      )}
      <button>Add the webhook</button>
    </form>
  </section>`;
}

/** The only page that shows a secret. */
export function webhookSecretPage({ webhook, secret }: WebhookSecret): PageAnswer {
  const { id, url, previousSecretUntil } = webhook;
  return {
    title: 'Copy the secret now',
    body: html`<p class="lead">Your receiver checks signatures with it. This is the only time we can show it.</p>
      <div class="card">
        <p id="webhook-name"><strong>${new URL(url).host}</strong></p>
        <p class="once" aria-labelledby="webhook-name"><code>${secret}</code></p>
        ${previousSecretUntil !== null && html`<p>Messages are signed with the secret before it as well until ${moment(previousSecretUntil)}.</p>`}
      </div>
      <p class="acts"><a class="button" href="/alerts/${id}">I have copied it</a></p>`,
  };
}
