import { html, type Html } from '@cer/pages';
import type { Passkey } from '../store/index.js';
import { faultSummary, formTokenField, textField } from '../web/fields.js';
import type { FormFault } from '../web/form.js';
import { moment } from '../web/moments.js';
import { passkeyForm } from '../web/passkey-form.js';

export interface PasskeyState {
  readonly formToken: string;
  readonly passkeys: readonly Passkey[];
  /** Of `navigator.credentials.create`; null without a form. */
  readonly options: string | null;
  /** Why none can be added; null when one can. */
  readonly notOffered: string | null;
  readonly hasForms: boolean;
  readonly given?: string | undefined;
  readonly faults?: readonly FormFault[] | undefined;
}

/** The section about passkeys on the page about signing in. */
export function passkeySection(state: PasskeyState): Html {
  const { formToken, passkeys, options, notOffered, hasForms, given, faults } = state;
  return html`<section class="card" aria-labelledby="passkeys">
    <div class="item-head">
      <h2 id="passkeys">Passkeys</h2>
      ${passkeys.length > 0 ? html`<span class="state good">in use</span>` : html`<span class="state">not used</span>`}
    </div>
    <p>${notOffered ?? 'Your device or security key signs you in by itself, after your fingerprint, face or PIN.'}</p>
    ${
      passkeys.length > 0 &&
      html`<ul class="passkeys">
        ${passkeys.map((passkey) => passkeyItem(passkey, hasForms, formToken))}
      </ul>`
    }
    ${faultSummary(faults)}
    ${
      hasForms &&
      notOffered === null &&
      options !== null &&
      passkeyForm({
        ...{ formToken, options, action: '/security/passkeys', asks: 'create', className: 'inner' },
        content: html`${textField({
            name: 'name',
            label: 'Name of the new passkey',
            hint: 'For example the device that has it.',
            value: given,
            faults,
          })} <button>Add a passkey</button>`,
      })
    }
  </section>`;
}

function passkeyItem({ credentialId, name, addedAt, lastUsedAt }: Passkey, hasForms: boolean, formToken: string): Html {
  return html`<li>
    <strong>${name}</strong>
    <span class="muted">added ${moment(addedAt)}, last used ${moment(lastUsedAt)}</span>
    ${
      hasForms &&
      html`<form method="post" action="/security/passkeys/${credentialId}/remove">
        ${formTokenField(formToken)}
        <button class="quiet danger">Remove<span class="unseen"> ${name}</span></button>
      </form>`
    }
  </li>`;
}
