import type { RequestHead, ServiceResponse } from '@cer/http-service';
import { TEXTS } from '../view/texts.js';
import { entityTag, page, pageProtection, unlessUnchanged, type PageSettings } from './page-response.js';

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
