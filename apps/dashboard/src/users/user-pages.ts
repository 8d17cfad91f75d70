import { html, type Html } from '@cer/pages';
import type { Role } from '../account/role.js';
import type { IssuedLink } from '../links/one-time-link.js';
import type { User } from '../store/index.js';
import { choiceField, faultSummary, formTokenField, textField } from '../web/fields.js';
import type { FormFault } from '../web/form.js';
import { pageLinks, type ListPage } from '../web/list-page.js';
import { moment } from '../web/moments.js';
import type { PageAnswer } from '../web/page-answer.js';
import { FORM_ID, newIdField } from '../web/sent-once.js';

const ROLE_CHOICES: readonly { readonly value: Role; readonly label: string; readonly hint: string }[] = [
  { value: 'member', label: 'Member', hint: 'Sees everything but keys’ secrets, and opens the bridge.' },
  {
    value: 'reviewer',
    label: 'Reviewer',
    hint: 'Sees and exports everything but keys’ secrets, and reviews certificates.',
  },
  {
    value: 'auditor',
    label: 'Auditor',
    hint: 'Sees and exports everything but keys’ secrets, and changes nothing.',
  },
  { value: 'owner', label: 'Owner', hint: 'Also manages keys, users and settings.' },
];

export interface UsersPage {
  readonly formToken: string;
  readonly users: ListPage<User>;
  readonly self: User;
  /** Whether the reader may add, invite and disable users now. */
  readonly mayChange: boolean;
  readonly given?: URLSearchParams;
  readonly faults?: readonly FormFault[];
  readonly notice?: string | undefined;
}

export function usersPage({ formToken, users, self, mayChange, given, faults, notice }: UsersPage): PageAnswer {
  const value = (name: string): string | undefined => given?.get(name) ?? undefined;
  const role = given?.get('role') ?? 'member';
  return {
    title: 'Users',
    notice,
    body: html`<p class="lead">People who can sign in to this account.</p>
      ${faultSummary(faults)}
      <ul class="items">
        ${users.items.map((user) => userItem(user, self, mayChange, formToken))}
      </ul>
      ${pageLinks('/users', users)}
      ${
        mayChange &&
        html`<section aria-labelledby="new-user">
          <h2 id="new-user">Add a user</h2>
          <form method="post" action="/users" class="card">
            ${formTokenField(formToken)} ${textField({ name: 'name', label: 'Name', value: value('name'), faults })}
            ${textField({ name: 'email', label: 'E-mail address', type: 'email', value: value('email'), faults })}
            ${choiceField(
              'radio',
              'role',
              'Role',
              ROLE_CHOICES.map((choice) => ({ ...choice, chosen: role === choice.value })),
              faults,
            )}
            <button>Add and make a link</button>
          </form>
        </section>`
      }`,
  };
}

function userItem(user: User, self: User, mayChange: boolean, formToken: string): Html {
  const { userId, email, name, role, enabled, hasPassword, lastLoginAt } = user;
  const isSelf = userId === self.userId;
  const act = (path: string, label: string, kind: string, id?: Html): Html =>
    html`<form method="post" action="/users/${userId}/${path}">
      ${formTokenField(formToken)}${id}<button class="${kind}">${label}<span class="unseen"> ${name}</span></button>
    </form>`;
  return html`<li class="card item">
    <div class="item-head">
      <h2>${name}${isSelf && html` <span class="muted">(you)</span>`}</h2>
      ${
        !enabled
          ? html`<span class="state bad">disabled</span>`
          : hasPassword || lastLoginAt !== null
            ? html`<span class="state good">active</span>`
            : html`<span class="state warn">invited</span>`
      }
    </div>
    <dl>
      <div>
        <dt>E-mail address</dt>
        <dd>${email}</dd>
      </div>
      <div>
        <dt>Role</dt>
        <dd>${role}</dd>
      </div>
      <div>
        <dt>Last signed in</dt>
        <dd>${moment(lastLoginAt)}</dd>
      </div>
    </dl>
    ${
      mayChange &&
      html`<div class="acts">
        ${enabled && act('link', 'New password link', 'quiet', newIdField(FORM_ID))}
        ${!isSelf && act('reset-sign-in', 'Reset sign-in', 'quiet')}
        ${!isSelf && (enabled ? act('disable', 'Disable', 'quiet danger') : act('enable', 'Enable', 'quiet'))}
      </div>`
    }
  </li>`;
}

/** The only page that shows the link. */
export function linkPage(user: User, link: IssuedLink): PageAnswer {
  return {
    title: 'Hand this link over',
    body: html`<p class="lead">
        With it ${user.name} (${user.email}) chooses a password. It works once, until
        ${moment(link.expiresAt.toISOString())}; earlier links of this user do not work any more.
      </p>
      <div class="card">
        <p class="once"><code>${link.url}</code></p>
      </div>
      <p class="acts"><a class="button" href="/users">I have copied it</a></p>`,
  };
}
