import { html, type Html } from '@cer/pages';
import type { User } from '../store/index.js';
import type { PageAnswer } from '../web/page-answer.js';

/** Why the page has no forms; null when it has. */
export type FormRefusal = 'suspended' | 'old session' | null;

export interface SecurityPage {
  readonly user: User;
  readonly refusal: FormRefusal;
  readonly sections: readonly Html[];
  readonly notice?: string | undefined;
}

/** The ways in which the reader signs in or may sign in. */
export function securityPage({ user, refusal, sections, notice }: SecurityPage): PageAnswer {
  return {
    title: 'Your sign-in',
    notice,
    body: html`<p class="lead">How you sign in as ${user.email}.</p>
      ${reasonOf(refusal)} ${sections}`,
  };
}

function reasonOf(refusal: FormRefusal): Html | false {
  switch (refusal) {
    case 'old session':
      return html`<p class="notice">To change something here, sign in again: you did so more than ten minutes ago.</p>
        <p class="acts"><a class="button" href="/sign-in?again=yes&amp;to=/security">Sign in again</a></p>`;
    case 'suspended':
    case null:
      return false;
  }
}
