import { html } from './html.js';
import type { PageAnswer } from './page-answer.js';

/** What no route serves. */
export const NOT_FOUND_PAGE: PageAnswer = {
  title: 'Not found',
  status: 404,
  body: html`<p>There is no such page.</p>
    <p><a href="/">Go to the overview</a></p>`,
};
