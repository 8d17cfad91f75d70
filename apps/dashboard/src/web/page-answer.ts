import type { ServiceResponse } from '@cer/http-service';
import { documentOf, type PageContent, type SignedInFrame } from './document.js';

export interface PageAnswer extends PageContent {
  readonly status?: number;
  /** One `Set-Cookie` value. */
  readonly cookie?: string | undefined;
  readonly retryAfterS?: number;
}

/** Makes the answers that a browser shows. */
export type PageResponder = (answer: PageAnswer, frame?: SignedInFrame) => ServiceResponse;

/** @param headers of every page */
export function createPageResponder(headers: Readonly<Record<string, string>>): PageResponder {
  return ({ status = 200, cookie, retryAfterS, ...content }, frame) => ({
    status,
    headers: {
      ...headers,
      ...(cookie !== undefined && { 'set-cookie': cookie }),
      ...(retryAfterS !== undefined && { 'retry-after': String(retryAfterS) }),
    },
    body: documentOf(content, frame),
  });
}
