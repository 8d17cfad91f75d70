import Negotiator from 'negotiator';
import { ServiceError } from '../errors/service-error.js';
import type { RequestHead, ServiceResponse } from '../handler/handler.js';
import type { NotFound } from './router-options.js';

const JSON_TYPE = 'application/json';
const HTML_TYPE = 'text/html';

/** Answers unknown paths with `page` for clients that prefer HTML, and with 404 NOT_FOUND for all others. */
export function notFoundPage(page: ServiceResponse): NotFound {
  return {
    handler: async (request) => {
      if (prefersHtml(request)) return page;
      throw new ServiceError({ code: 'NOT_FOUND' });
    },
  };
}

function prefersHtml({ headers }: RequestHead): boolean {
  return new Negotiator({ headers }).mediaType([JSON_TYPE, HTML_TYPE]) === HTML_TYPE;
}
