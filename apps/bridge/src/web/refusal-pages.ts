import { ServiceError } from '@cer/http-service';
import type { Logger } from '@cer/http-service/process';
import { html } from '@cer/pages';
import { presentError, STATUS, translateError } from '../errors.js';
import type { PageContent } from './document.js';

/** The page for a request that failed: the reason, and the request id to report. */
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
