import { html } from '@cer/pages';
import { faultSummary, formTokenField, textField } from '../web/fields.js';
import type { FormFault } from '../web/form.js';
import type { PageAnswer } from '../web/page-answer.js';

export interface SignInPage {
  readonly formToken: string;
  readonly to: string;
  readonly email?: string;
  readonly faults?: readonly FormFault[];
  readonly notice?: string | undefined;
}

export function signInPage({ formToken, to, email, faults, notice }: SignInPage): PageAnswer {
  return {
    title: 'Sign in',
    notice,
    body: html`${faultSummary(faults, 'You are not signed in')}
      <form method="post" action="/sign-in" class="card">
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
      <p class="muted">Forgot your password? An owner of your account can make a new link for you.</p>`,
  };
}
