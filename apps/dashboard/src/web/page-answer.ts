import type { ServiceResponse } from '@cer/http-service';
import { documentOf, type PageContent, type SignedInFrame } from './document.js';

export interface PageAnswer extends PageContent {
  readonly status?: number;
  /** `Set-Cookie` values. */
  readonly cookies?: readonly string[];
  readonly retryAfterS?: number;
  /** False: without the navigation of the signed-in reader. */
  readonly isFramed?: boolean;
  /** In place of those of every page. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Makes the answers that a browser shows. */
export type PageResponder = (answer: PageAnswer, frame?: SignedInFrame) => ServiceResponse;

/**
 * @param headers of every page
 * @param scriptHeaders of pages with a script
 */
export function createPageResponder(
  headers: Readonly<Record<string, string>>,
  scriptHeaders: Readonly<Record<string, string>>,
): PageResponder {
  return ({ status = 200, cookies, retryAfterS, headers: own, isFramed = true, ...content }, frame) => ({
    status,
    headers: {
      ...(content.script === undefined ? headers : scriptHeaders),
      ...own,
      ...(retryAfterS !== undefined && { 'retry-after': String(retryAfterS) }),
    },
    ...(cookies !== undefined && { cookies }),
    body: documentOf(content, isFramed ? frame : undefined),
  });
}
