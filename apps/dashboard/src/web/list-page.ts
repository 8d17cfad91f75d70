import type { RequestHead } from '@cer/http-service';
import { html, type Html } from '@cer/pages';

const ITEMS_PER_PAGE = 50;
/** Of the query: the id of the last item of the page before. */
export const AFTER = 'after';

export interface ListPage<Item> {
  readonly items: readonly Item[];
  /** The id after which the next page begins; null on the last one. */
  readonly next: string | null;
  /** Whether this is a later page. */
  readonly isContinued: boolean;
}

/** One page of a list of the store. An id that is not in the list leads to an empty page. */
export async function listPage<Item>(
  { query }: Pick<RequestHead, 'query'>,
  list: (after: string | null, limit: number) => Promise<readonly Item[]>,
  idOf: (item: Item) => string,
): Promise<ListPage<Item>> {
  const after = query.get(AFTER);
  const found = await list(after, ITEMS_PER_PAGE + 1);
  const items = found.slice(0, ITEMS_PER_PAGE);
  const last = items.at(-1);
  return {
    items,
    next: last !== undefined && found.length > items.length ? idOf(last) : null,
    isContinued: after !== null,
  };
}

export function pageLinks(path: string, { next, isContinued }: ListPage<unknown>): Html {
  if (next === null && !isContinued) return html``;
  return html`<p class="acts">
    ${isContinued && html`<a href="${path}">First page</a>`}
    ${next !== null && html`<a class="button" rel="next" href="${path}?${AFTER}=${next}">Next page</a>`}
  </p>`;
}
