import { html, type Html } from '@cer/pages';
import { faultSummary, formTokenField, textField } from '../web/fields.js';
import type { FormFault } from '../web/form.js';
import type { PageAnswer } from '../web/page-answer.js';

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
}

export function signInPage({ ways, ...page }: SignInPage): PageAnswer {
  return {
    title: 'Sign in',
    notice: page.notice,
    body: html`${faultSummary(page.faults, 'You are not signed in')}
    ${ways.hasProvider && html`<p class="acts"><a class="button" href="/sign-in/oidc">Sign in with your organisation</a></p>`}
    ${ways.hasPassword && passwordForm(page)}`,
  };
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
