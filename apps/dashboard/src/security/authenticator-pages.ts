import { html, type Html } from '@cer/pages';
import { qrCode } from '../totp/qr-code.js';
import { totpAddress } from '../totp/totp.js';
import { faultSummary, formTokenField, textField } from '../web/fields.js';
import type { FormFault } from '../web/form.js';
import type { PageAnswer } from '../web/page-answer.js';
import { FORM_ID, newIdField } from '../web/sent-once.js';

export interface AddAuthenticatorPage {
  readonly formToken: string;
  readonly email: string;
  /** Base32. */
  readonly secret: string;
  /** The same, sealed, for the form. */
  readonly sealed: string;
  readonly faults?: readonly FormFault[];
}

/** The only page that shows the secret of an authenticator app. */
export function addAuthenticatorPage({ formToken, email, secret, sealed, faults }: AddAuthenticatorPage): PageAnswer {
  return {
    title: 'Add an authenticator app',
    body: html`${faultSummary(faults)}
      <ol class="steps">
        <li>
          Scan this code with the app, or type the key into it.
          ${qrCode(totpAddress(secret, email), 'QR code with the key that follows')}
          <p class="once"><code>${secret.replaceAll(/(.{4})(?=.)/g, '$1 ')}</code></p>
        </li>
        <li>
          Enter the six digits that the app shows.
          <form method="post" action="/security/authenticator/confirm" class="card">
            ${formTokenField(formToken)}
            <input type="hidden" name="sealed" value="${sealed}" />
            ${textField({ name: 'code', label: 'Code', autocomplete: 'one-time-code', faults })}
            <button>Add the app</button>
          </form>
        </li>
      </ol>
      <p class="acts"><a href="/security">Cancel</a></p>`,
  };
}

/** The only page that shows the recovery codes. */
export function recoveryCodesPage(codes: readonly string[]): PageAnswer {
  return {
    title: 'Keep your recovery codes',
    body: html`<p class="lead">
        Each of them signs you in once, after your password, when the app is not at hand. They are not shown again.
      </p>
      <div class="card">
        <ul class="codes">
          ${codes.map((code) => html`<li><code>${code}</code></li>`)}
        </ul>
      </div>
      <p class="acts"><a class="button" href="/security">I have kept them</a></p>`,
  };
}

/** The section about the authenticator app on the page about signing in. */
export interface AuthenticatorState {
  readonly formToken: string;
  readonly addedAt: Html | null;
  readonly recoveryCodesLeft: number;
  /** Why none can be added; null when one can. */
  readonly notOffered: string | null;
  readonly hasForms: boolean;
}

export function authenticatorSection(state: AuthenticatorState): Html {
  const { formToken, addedAt, recoveryCodesLeft, notOffered, hasForms } = state;
  const act = (path: string, label: string, kind = '', id?: Html): Html =>
    html`<form method="post" action="/security/${path}">
      ${formTokenField(formToken)}${id}<button class="${kind}">${label}</button>
    </form>`;
  if (addedAt === null) {
    return html`<section class="card" aria-labelledby="authenticator">
      <div class="item-head">
        <h2 id="authenticator">Authenticator app</h2>
        <span class="state">not used</span>
      </div>
      <p>${notOffered ?? 'An app on your phone shows a code, which signing in asks for after the password.'}</p>
      ${hasForms && notOffered === null && html`<div class="acts">${act('authenticator', 'Add an authenticator app')}</div>`}
    </section>`;
  }
  return html`<section class="card" aria-labelledby="authenticator">
    <div class="item-head">
      <h2 id="authenticator">Authenticator app</h2>
      <span class="state good">in use</span>
    </div>
    <dl>
      <div>
        <dt>Added</dt>
        <dd>${addedAt}</dd>
      </div>
      <div>
        <dt>Recovery codes left</dt>
        <dd>${recoveryCodesLeft}</dd>
      </div>
    </dl>
    ${
      hasForms &&
      html`<div class="acts">
        ${act('recovery-codes', 'Make new recovery codes', 'quiet', newIdField(FORM_ID))}
        ${act('authenticator/remove', 'Remove the app', 'quiet danger')}
      </div>`
    }
  </section>`;
}
