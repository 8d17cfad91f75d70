import { ServiceError, type Route } from '@cer/http-service';
import type { Logger } from '@cer/http-service/process';
import { html } from '@cer/pages';
import type { PageAnswer } from '../web/page-answer.js';
import type { Pages } from '../web/pages.js';

/** Refusals that a page of the account shows. */
const SHOWN_STATUS = { NOT_FOUND: 404, SERVICE_UNAVAILABLE: 503 } as const;

function isAnswered(code: string): code is keyof typeof SHOWN_STATUS {
  return code in SHOWN_STATUS;
}

export interface NodePage {
  readonly path: string;
  readonly title: string;
  /** Where a refusal leads. */
  readonly back: { readonly path: string; readonly label: string };
}

/** A page of what the node answers, which says so when it does not answer. */
export function nodePage(
  { pages, logger }: { readonly pages: Pages; readonly logger: Logger },
  { path, title, back }: NodePage,
  show: Parameters<Pages['view']>[1],
): Route {
  return pages.view(path, async (visitor) => {
    try {
      return await show(visitor);
    } catch (error) {
      const refusal: ServiceError | null = error instanceof ServiceError ? error : null;
      if (refusal === null || !isAnswered(refusal.code)) throw error;
      const { code, message } = refusal;
      if (code !== 'NOT_FOUND')
        logger.warn({ err: error, requestId: visitor.head.requestId }, 'the node gave no answer');
      const answer: PageAnswer = {
        title,
        status: SHOWN_STATUS[code],
        body: html`<p class="notice bad" role="alert">${message}</p>
          <p><a href="${back.path}">${back.label}</a></p>`,
      };
      return answer;
    }
  });
}
