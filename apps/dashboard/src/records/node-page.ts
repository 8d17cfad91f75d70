import { ServiceError } from '@cer/http-service';
import type { Logger } from '@cer/http-service/process';
import { html } from '@cer/pages';
import type { DescribedRoute } from '../openapi/route-description.js';
import type { PageAnswer } from '../web/page-answer.js';
import type { PageWords } from '../web/page-description.js';
import type { Pages } from '../web/pages.js';

/** Refusals that a page of the account shows. */
const SHOWN_STATUS = { VALIDATION_ERROR: 400, NOT_FOUND: 404, SERVICE_UNAVAILABLE: 503 } as const;

function isAnswered(code: string): code is keyof typeof SHOWN_STATUS {
  return code in SHOWN_STATUS;
}

export interface NodePage {
  readonly path: string;
  readonly title: string;
  readonly words: PageWords;
  /** Where a refusal leads. */
  readonly back: { readonly path: string; readonly label: string };
}

/** A page with data of the node, or with the reason why the node did not answer. */
export function nodePage(
  { pages, logger }: { readonly pages: Pages; readonly logger: Logger },
  { path, title, words, back }: NodePage,
  show: Parameters<Pages['view']>[2],
): DescribedRoute {
  return pages.view(path, words, async (visitor) => {
    try {
      return await show(visitor);
    } catch (error) {
      const refusal: ServiceError | null = error instanceof ServiceError ? error : null;
      if (refusal === null || !isAnswered(refusal.code)) throw error;
      const {
        code,
        message,
        refusal: { headers },
      } = refusal;
      if (code === 'SERVICE_UNAVAILABLE')
        logger.warn({ err: error, requestId: visitor.head.requestId }, 'the node gave no answer');
      const answer: PageAnswer = {
        title,
        status: SHOWN_STATUS[code],
        ...(headers !== undefined && { headers }),
        body: html`<p class="notice bad" role="alert">${message}</p>
          <p><a href="${back.path}">${back.label}</a></p>`,
      };
      return answer;
    }
  });
}
