import { ServiceError, type RequestHead, type Route, type ServiceResponse } from '@cer/http-service';
import { TEXTS } from '../view/texts.js';
import { frameMessage, isFramed } from './frame-response.js';
import { entityTag, page, pageProtection, prefersPage, unlessUnchanged, type PageSettings } from './page-response.js';

/** A page with only a message: page not found, too many requests. */
export function messagePage(
  settings: PageSettings,
  head: RequestHead | null,
  status: number,
  words: { readonly title: string; readonly lead: string },
): ServiceResponse {
  const make = (): ServiceResponse =>
    page(settings, status, {
      title: `${words.title} – ${TEXTS.site.name}`,
      description: words.lead,
      path: '/',
      children: (
        <>
          <h1>{words.title}</h1>
          <p class="lead">{words.lead}</p>
          <p>
            <a href="/">{TEXTS.site.home}</a>
          </p>
        </>
      ),
    });
  const etag = entityTag(settings.buildId, words.title);
  if (head !== null) return unlessUnchanged(head, etag, 'Accept', pageProtection(settings), make);
  const answer = make();
  return { ...answer, headers: { ...answer.headers, etag, vary: 'Accept' } };
}

/** Answers a malformed query by a page for people, and by the standard error body for programs. */
export function malformedQueryPage(settings: PageSettings): NonNullable<Route['within']> {
  return async (head, work) => {
    try {
      return await work();
    } catch (error) {
      const isRefused = error instanceof ServiceError && error.code === 'VALIDATION_ERROR';
      if (!isRefused || !prefersPage(head)) throw error;
      const lead = `${error.message}.`;
      const words = { title: TEXTS.malformed, lead };
      const headers = { vary: 'Accept', 'cache-control': 'no-store' };
      if (isFramed(head)) return frameMessage(settings, 400, words, headers);
      const answer = messagePage(settings, null, 400, words);
      return { ...answer, headers: { ...answer.headers, ...headers } };
    }
  };
}
