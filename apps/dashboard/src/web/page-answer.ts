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

/**
 * Headers of every page: no script at all, nothing from elsewhere, nobody may frame it. `same-origin`, because with
 * `no-referrer` a browser would send its forms with `Origin: null`.
 * @param formTargets origins that a form's answer may lead to, beside this site
 */
export function pageHeaders(publicUrl: string, formTargets: readonly string[]): Readonly<Record<string, string>> {
  const formAction = ["'self'", ...formTargets].join(' ');
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; style-src 'self'; img-src 'self'; form-action ${formAction}; base-uri 'none'; frame-ancestors 'none'`,
    'referrer-policy': 'same-origin',
    'x-frame-options': 'DENY',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    ...(publicUrl.startsWith('https:') && { 'strict-transport-security': 'max-age=31536000' }),
  };
}

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
