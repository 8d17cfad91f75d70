import { html } from '@cer/pages';
import { MIN_PASSWORD_CHARACTERS } from '../passwords/password-rules.js';
import type { User } from '../store/index.js';
import { faultSummary, formTokenField, textField } from '../web/fields.js';
import type { FormFault } from '../web/form.js';
import type { PageAnswer } from '../web/page-answer.js';

const PASSWORD_HINT = `At least ${MIN_PASSWORD_CHARACTERS} characters. A few words are fine.`;

export interface SetUpPage {
  readonly formToken: string;
  readonly given?: URLSearchParams;
  readonly faults?: readonly FormFault[];
}

export function setUpPage({ formToken, given, faults }: SetUpPage): PageAnswer {
  const value = (name: string): string | undefined => given?.get(name) ?? undefined;
  return {
    title: 'Set up',
    body: html`<p class="lead">You are the first one here. This makes your organisation and its owner: you.</p>
      ${faultSummary(faults)}
      <form method="post" class="card">
        ${formTokenField(formToken)}
        ${textField({ name: 'tenant', label: 'Organisation', value: value('tenant'), autocomplete: 'organization', faults })}
        ${textField({ name: 'name', label: 'Your name', value: value('name'), autocomplete: 'name', faults })}
        ${textField({
          name: 'email',
          label: 'E-mail address',
          type: 'email',
          value: value('email'),
          autocomplete: 'username',
          faults,
        })}
        ${newPassword(faults)}
        <button>Set up and sign in</button>
      </form>`,
  };
}

export interface PasswordPage {
  readonly formToken: string;
  readonly user: User;
  readonly faults?: readonly FormFault[];
}

export function passwordPage({ formToken, user, faults }: PasswordPage): PageAnswer {
  return {
    title: 'Choose a password',
    body: html`<p class="lead">For ${user.name}, signing in as <strong>${user.email}</strong>.</p>
      ${faultSummary(faults)}
      <form method="post" class="card">
        ${formTokenField(formToken)}
        <input type="email" name="email" value="${user.email}" autocomplete="username" readonly hidden />
        ${newPassword(faults)}
        <button>Set the password and sign in</button>
      </form>`,
  };
}

function newPassword(faults: readonly FormFault[] | undefined) {
  return textField({
    name: 'password',
    label: 'Password',
    type: 'password',
    autocomplete: 'new-password',
    hint: PASSWORD_HINT,
    faults,
  });
}
