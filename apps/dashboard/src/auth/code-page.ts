import { html } from '@cer/pages';
import { faultSummary, formTokenField, textField } from '../web/fields.js';
import type { FormFault } from '../web/form.js';
import type { PageAnswer } from '../web/page-answer.js';

export interface CodePage {
  readonly formToken: string;
  readonly ticket: string;
  readonly to: string;
  readonly faults?: readonly FormFault[];
}

/** Asks for the code of the authenticator app. */
export function codePage({ formToken, ticket, to, faults }: CodePage): PageAnswer {
  return {
    title: 'Enter your code',
    body: html`${faultSummary(faults, 'You are not signed in')}
      <form method="post" action="/sign-in/code" class="card">
        ${formTokenField(formToken)}
        <input type="hidden" name="ticket" value="${ticket}" />
        <input type="hidden" name="to" value="${to}" />
        ${textField({
          name: 'code',
          label: 'Code',
          hint: 'The six digits that your authenticator app shows, or one of your recovery codes.',
          autocomplete: 'one-time-code',
          faults,
        })}
        <button>Sign in</button>
      </form>
      <p class="muted">
        No app and no recovery code? An owner of your account can reset how you sign in.
        <a href="/sign-in">Start again</a>
      </p>`,
  };
}
