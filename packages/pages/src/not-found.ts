import { html, type Html } from './html.js';

/** The page for a path that no route serves. @param home name of the page at `/`, e.g. "the overview" */
export function notFoundContent(home: string): { readonly title: string; readonly status: 404; readonly body: Html } {
  return {
    title: 'Not found',
    status: 404,
    body: html`<p>There is no such page.</p>
      <p class="acts"><a class="button" href="/">Go to ${home}</a></p>`,
  };
}
