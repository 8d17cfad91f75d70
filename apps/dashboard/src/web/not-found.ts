import { ServiceError } from '@cer/http-service';
import type { RequestHandler } from 'express';
import { html } from './html.js';
import type { PageResponder } from './page-answer.js';

/** Answers what no route serves: a page for browsers, `{error}` for everybody else. */
export function notFoundPage(respond: PageResponder): RequestHandler {
  return (request, response, next) => {
    if (request.accepts(['json', 'html']) !== 'html') {
      next(new ServiceError({ code: 'NOT_FOUND' }));
      return;
    }
    const { status, headers, body } = respond({
      title: 'Not found',
      status: 404,
      body: html`<p>There is no such page.</p>
        <p><a href="/">Go to the overview</a></p>`,
    });
    response
      .writeHead(status, { ...headers, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
      .end(body);
  };
}
