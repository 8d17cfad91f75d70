import { html, type Html } from '@cer/pages';
import { formTokenField } from './fields.js';

export interface PasskeyForm {
  readonly formToken: string;
  readonly action: string;
  readonly asks: 'create' | 'get';
  /** JSON of WebAuthn. */
  readonly options: string;
  /** Fields and the button. */
  readonly content: Html;
  readonly className?: string;
}

/** A form that `assets/passkeys.js` completes by a passkey before it is sent. */
export function passkeyForm({ formToken, action, asks, options, content, className = '' }: PasskeyForm): Html {
  return html`<form
    method="post"
    action="${action}"
    class="${className}"
    data-passkey="${asks}"
    data-options="${options}"
  >
    ${formTokenField(formToken)}
    <input type="hidden" name="credential" />
    ${content}
    <p
      class="fault"
      role="alert"
      data-failure="This browser could not use a passkey here."
      data-cancelled="No passkey was used. Try again."
      data-known="This device has a passkey of this account already."
    ></p>
  </form>`;
}
