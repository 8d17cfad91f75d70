import { html, type Html } from '@cer/pages';
import { PASSKEY_SCRIPT } from '../web/assets.js';
import { faultSummary, formTokenField, textField } from '../web/fields.js';
import type { FormFault } from '../web/form.js';
import type { PageAnswer } from '../web/page-answer.js';
import { passkeyForm } from '../web/passkey-form.js';

/** How people may sign in. */
export interface SignInWays {
  readonly hasPassword: boolean;
  readonly hasProvider: boolean;
}

export interface SignInPage {
  readonly formToken: string;
  readonly to: string;
  readonly email?: string;
  readonly faults?: readonly FormFault[];
  readonly notice?: string | undefined;
  readonly ways: SignInWays;
  /** Of `navigator.credentials.get`; null without passkeys. */
  readonly passkeyOptions: string | null;
}

/** Shows the page with what every one of its answers has. */
export type ShowSignIn = (page: Omit<SignInPage, 'ways' | 'passkeyOptions'>) => Promise<PageAnswer>;

export function signInPage({ ways, ...page }: SignInPage): PageAnswer {
  return {
    title: 'Sign in',
    notice: page.notice,
    script: page.passkeyOptions === null ? undefined : PASSKEY_SCRIPT.path,
    body: html`${faultSummary(page.faults, 'You are not signed in')}
    ${ways.hasProvider && html`<p class="acts"><a class="button" href="/sign-in/oidc">Sign in with your organisation</a></p>`}
    ${ways.hasPassword && passwordForm(page)}
    ${page.passkeyOptions !== null && passkeySignIn(page, page.passkeyOptions)}`,
  };
}

function passkeySignIn({ formToken, to }: Omit<SignInPage, 'ways'>, options: string): Html {
  return passkeyForm({
    ...{ formToken, options, action: '/sign-in/passkey', asks: 'get', className: 'acts' },
    content: html`<input type="hidden" name="to" value="${to}" />
      <button id="passkey" class="quiet">Sign in with a passkey</button>`,
  });
}

function passwordForm({ formToken, to, email, faults }: Omit<SignInPage, 'ways'>): Html {
  return html` <form method="post" action="/sign-in" class="card">
      ${formTokenField(formToken)}
      <input type="hidden" name="to" value="${to}" />
      ${textField({
        name: 'email',
        label: 'E-mail address',
        type: 'email',
        value: email,
        autocomplete: 'username',
        faults,
      })}
      ${textField({
        name: 'password',
        label: 'Password',
        type: 'password',
        autocomplete: 'current-password',
        faults,
      })}
      <button>Sign in</button>
    </form>
    <p class="muted">Forgot your password? An owner of your account can make a new link for you.</p>`;
}
