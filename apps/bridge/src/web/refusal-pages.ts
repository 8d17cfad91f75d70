import { ServiceError, type Logger } from '@cer/http-service';
import type { RequestHandler } from 'express';
import { presentError, STATUS, translateError } from '../errors.js';
import type { PageContent, PageResponse } from './document.js';
import { html } from './html.js';

/** What a page says that could not be made: what is known of the reason, and the number to ask somebody about it. */
export function refusalPage(error: unknown, requestId: string, logger: Logger): PageContent {
  const refused: ServiceError | undefined = error instanceof ServiceError ? error : translateError(error);
  const known = new Map<string, number>(Object.entries(STATUS));
  const status = (refused === undefined ? undefined : known.get(refused.code)) ?? 500;
  if (status >= 500) logger.error({ requestId, err: error }, 'page failed');
  const { error: sentence } = presentError(refused?.refusal ?? { code: 'INTERNAL_ERROR' });
  return {
    title: 'This did not work',
    status,
    body: html`<p>${sentence}.</p>
      <p class="acts"><a class="button" href="/">Try again</a></p>
      <p class="muted">Request <code>${requestId}</code></p>`,
  };
}

/** Answers what no route serves: a page for browsers, `{error}` for everybody else. */
export function notFoundPage(respond: (content: PageContent) => PageResponse): RequestHandler {
  return (request, response, next) => {
    if (request.accepts(['json', 'html']) !== 'html') {
      next(new ServiceError({ code: 'NOT_FOUND' }));
      return;
    }
    const { status, headers, body } = respond({
      title: 'Not found',
      status: 404,
      body: html`<p>There is no such page.</p>
        <p class="acts"><a class="button" href="/">Go to the bridge</a></p>`,
    });
    response
      .writeHead(status, { ...headers, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
      .end(body);
  };
}
