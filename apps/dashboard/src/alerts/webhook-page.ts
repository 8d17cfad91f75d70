import { html, type Html } from '@cer/pages';
import { formTokenField } from '../web/fields.js';
import { graceField } from '../web/grace-periods.js';
import { moment } from '../web/moments.js';
import type { PageAnswer } from '../web/page-answer.js';
import { FORM_ID, newIdField } from '../web/sent-once.js';
import { typesText } from './alert-pages.js';
import { resultText, typeName } from './alert-texts.js';
import type { Deliveries, Delivery, Webhook } from './node-webhooks.js';

/** The version that the form replaces: sent twice, it makes one new secret. */
export const SECRET_VERSION = 'secret_version';

const STATES = {
  waiting: html`<span class="state warn">waiting</span>`,
  delivered: html`<span class="state good">delivered</span>`,
  failed: html`<span class="state bad">failed</span>`,
};

export interface WebhookPage {
  readonly formToken: string;
  readonly webhook: Webhook;
  readonly deliveries: Deliveries;
  readonly isContinued: boolean;
  readonly mayChange: boolean;
  readonly notice: string | undefined;
}

/** One webhook: what was sent to it, and its settings. */
export function webhookPage(page: WebhookPage): PageAnswer {
  const { formToken, webhook, deliveries, isContinued, mayChange, notice } = page;
  const { id, url, types, createdAt, previousSecretUntil } = webhook;
  return {
    title: `Webhook at ${new URL(url).host}`,
    notice,
    body: html`<section class="card" aria-labelledby="webhook">
        <h2 id="webhook">Webhook</h2>
        <dl>
          ${term('Address', html`<code>${url}</code>`)} ${term('Receives', typesText(types))}
          ${term('Added', moment(createdAt))}
          ${previousSecretUntil !== null && term('Previous secret signs until', moment(previousSecretUntil))}
        </dl>
        ${mayChange && act(formToken, `/alerts/${id}/test`, html`${newIdField(FORM_ID)}<button>Send a test</button>`)}
      </section>
      <section aria-labelledby="messages">
        <h2 id="messages">Messages</h2>
        <p class="muted">
          A message is tried again after 5 seconds, 1, 5 and 30 minutes, 2, 5 and 10 hours. The list has 90 days.
        </p>
        ${
          deliveries.deliveries.length === 0
            ? html`<p class="card empty">${isContinued ? 'No earlier messages.' : 'Nothing was sent yet.'}</p>`
            : html`<ul class="items">
                ${deliveries.deliveries.map((delivery) => message(formToken, id, delivery, mayChange))}
              </ul>`
        }
        <p class="acts">
          <a href="/alerts/${id}">${isContinued ? 'Newest' : 'Load again'}</a>
          ${deliveries.next !== null && html`<a class="button" rel="next" href="/alerts/${id}?before=${String(deliveries.next)}">Earlier</a>`}
        </p>
      </section>
      ${mayChange && settings(formToken, webhook)}
      <p><a href="/alerts">All webhooks</a></p>`,
  };
}

function message(formToken: string, id: string, delivery: Delivery, mayChange: boolean): Html {
  const { id: deliveryId, type, createdAt, state, attempts, attemptedAt, nextAttemptAt } = delivery;
  const name = typeName(type);
  return html`<li class="card item">
    <div class="item-head">
      <h3>${name}</h3>
      ${STATES[state]}
    </div>
    <dl>
      ${term('Happened', moment(createdAt))} ${term('Result', resultText(delivery))}
      ${term('Attempts', String(attempts))} ${attemptedAt !== null && term('Last attempt', moment(attemptedAt))}
      ${nextAttemptAt !== null && attempts > 0 && term('Next attempt', moment(nextAttemptAt))}
    </dl>
    <details>
      <summary>What is sent<span class="unseen">: ${name}, ${createdAt}</span></summary>
      <pre tabindex="0" aria-label="The message"><code>${JSON.stringify(delivery.message, null, 2)}</code></pre>
    </details>
    ${
      mayChange &&
      state !== 'waiting' &&
      act(
        formToken,
        `/alerts/${id}/messages/${deliveryId}/send`,
        html`<button class="quiet">Send again<span class="unseen">: ${name}, ${createdAt}</span></button>`,
      )
    }
  </li>`;
}

function settings(formToken: string, { id, secretVersion }: Webhook): Html {
  return html`<section aria-labelledby="rotate">
      <h2 id="rotate">New secret</h2>
      <form method="post" action="/alerts/${id}/rotate" class="card">
        ${formTokenField(formToken)} <input type="hidden" name="${SECRET_VERSION}" value="${secretVersion}" />
        ${graceField('How long do messages carry the signature of the old secret too?')}
        <button>Make a new secret</button>
      </form>
    </section>
    <section class="card" aria-labelledby="remove">
      <h2 id="remove">Remove</h2>
      <p>Nothing is sent to this address any more, and the list of messages is deleted.</p>
      ${act(formToken, `/alerts/${id}/remove`, html`<button class="danger">Remove the webhook</button>`)}
    </section>`;
}

function act(formToken: string, action: string, button: Html): Html {
  return html`<form method="post" action="${action}">${formTokenField(formToken)} ${button}</form>`;
}

function term(name: string, value: Html | string): Html {
  return html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;
}
