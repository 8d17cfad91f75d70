import { SCOPES, type Scope } from '@cer/control-plane';
import { html, type Html } from '@cer/pages';
import { keyWorks } from '../introspection/introspect.js';
import type { ApiKey } from '../store/index.js';
import { choiceField, faultSummary, formTokenField, textField } from '../web/fields.js';
import type { FormFault } from '../web/form.js';
import { graceField } from '../web/grace-periods.js';
import { pageLinks, type ListPage } from '../web/list-page.js';
import { moment } from '../web/moments.js';
import type { PageAnswer } from '../web/page-answer.js';
import { newIdField } from '../web/sent-once.js';

export const KEY_ID = 'key_id';

const SCOPE_HINTS: Readonly<Record<Scope, string>> = {
  certify: 'Create, certify and attest execution records.',
  render: 'Render and verify creative code.',
  register: 'Register project bundles.',
  ingest: 'Send executions and traces to the evidence bridge (needs certify too).',
  review: 'Certify human reviews, and nothing else.',
  webhooks: 'Add, change and remove the webhooks that alerts are sent to.',
  audit: 'List and export the records of this account, and nothing else. For auditors.',
};

export interface KeysPage {
  readonly formToken: string;
  readonly keys: ListPage<ApiKey>;
  /** Whether the reader may make, rotate and revoke keys now. */
  readonly mayChange: boolean;
  readonly now: Date;
  readonly given?: { readonly name: string; readonly scopes: readonly string[] };
  readonly faults?: readonly FormFault[];
  readonly notice?: string | undefined;
}

export function keysPage({ formToken, keys, mayChange, now, given, faults, notice }: KeysPage): PageAnswer {
  const chosen: readonly string[] = given?.scopes ?? ['certify'];
  return {
    title: 'API keys',
    notice,
    body: html`<p class="lead">Services sign in with these. A key is shown once; we keep only its hash.</p>
      ${faultSummary(faults)}
      ${
        keys.items.length === 0
          ? html`<p class="card empty">${keys.isContinued ? 'There are no further keys.' : 'No keys yet.'}</p>`
          : html`<ul class="items">
              ${keys.items.map((key) => keyItem(key, mayChange, now))}
            </ul>`
      }
      ${pageLinks('/keys', keys)}
      ${
        mayChange &&
        html`<section aria-labelledby="new-key">
          <h2 id="new-key">Create a key</h2>
          <form method="post" action="/keys" class="card">
            ${formTokenField(formToken)} ${newIdField(KEY_ID)}
            ${textField({ name: 'name', label: 'Name', value: given?.name, hint: 'Where it will be used, e.g. production.', faults })}
            ${choiceField(
              'checkbox',
              'scopes',
              'What it may do',
              SCOPES.map((scope) => ({
                value: scope,
                label: scope,
                hint: SCOPE_HINTS[scope],
                chosen: chosen.includes(scope),
              })),
              faults,
            )}
            <button>Create the key</button>
          </form>
        </section>`
      }`,
  };
}

function keyItem(key: ApiKey, mayChange: boolean, now: Date): Html {
  const { keyId, name, prefix, scopes, createdAt, lastUsedAt, expiresAt, revokedAt } = key;
  const works = keyWorks(key, now);
  return html`<li class="card item">
    <div class="item-head">
      <h2>${name}</h2>
      ${stateOf(key, works)}
    </div>
    <dl>
      <div>
        <dt>Begins with</dt>
        <dd><code>${prefix}…</code></dd>
      </div>
      <div>
        <dt>May</dt>
        <dd>${scopes.join(', ')}</dd>
      </div>
      <div>
        <dt>Created</dt>
        <dd>${moment(createdAt)}</dd>
      </div>
      <div>
        <dt>Last used</dt>
        <dd>${moment(lastUsedAt)}</dd>
      </div>
      ${
        works &&
        expiresAt !== null &&
        html`<div>
          <dt>Works until</dt>
          <dd>${moment(expiresAt)}</dd>
        </div>`
      }
      ${
        revokedAt !== null &&
        html`<div>
          <dt>Revoked</dt>
          <dd>${moment(revokedAt)}</dd>
        </div>`
      }
    </dl>
    ${
      mayChange &&
      works &&
      html`<p class="acts">
        ${expiresAt === null && html`<a href="/keys/${keyId}/rotate">Rotate<span class="unseen"> ${name}</span></a>`}
        <a href="/keys/${keyId}/revoke" class="danger">Revoke<span class="unseen"> ${name}</span></a>
      </p>`
    }
  </li>`;
}

function stateOf({ expiresAt, revokedAt }: ApiKey, works: boolean): Html {
  if (revokedAt !== null) return html`<span class="state bad">revoked</span>`;
  if (!works) return html`<span class="state">rotated away</span>`;
  return expiresAt === null
    ? html`<span class="state good">active</span>`
    : html`<span class="state warn">rotated, still works</span>`;
}

/** The only page that shows a key. */
export function newKeyPage(name: string, key: string, oldExpiresAt: Date | null): PageAnswer {
  return {
    title: 'Copy your new key now',
    body: html`<p class="lead">This is the only time we can show it. Keep it like a password.</p>
      <div class="card">
        <p id="key-name"><strong>${name}</strong></p>
        <p class="once" aria-labelledby="key-name"><code>${key}</code></p>
        ${oldExpiresAt !== null && html`<p>The old key works until ${moment(oldExpiresAt.toISOString())}.</p>`}
      </div>
      <p class="acts"><a class="button" href="/keys">I have copied it</a></p>`,
  };
}

export function rotatePage(formToken: string, key: ApiKey): PageAnswer {
  return {
    title: `Rotate ${key.name}`,
    body: html`<p class="lead">
        Makes a new key with the same name and rights. <code>${key.prefix}…</code> keeps working for the grace period.
      </p>
      <form method="post" class="card">
        ${formTokenField(formToken)} ${graceField('How long does the old key stay valid?')}
        <div class="acts"><button>Rotate the key</button> <a href="/keys">Cancel</a></div>
      </form>`,
  };
}

export function revokePage(formToken: string, key: ApiKey): PageAnswer {
  return {
    title: `Revoke ${key.name}`,
    body: html`<p class="lead">
        Whatever uses <code>${key.prefix}…</code> stops working within 2 seconds. This cannot be undone.
      </p>
      <form method="post" class="card">
        ${formTokenField(formToken)}
        <div class="acts"><button class="danger">Revoke the key</button> <a href="/keys">Cancel</a></div>
      </form>`,
  };
}
