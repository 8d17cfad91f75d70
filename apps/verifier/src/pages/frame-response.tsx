import type { RequestHead, ResponseHeaders, ServiceResponse } from '@cer/http-service';
import { renderToString } from 'preact-render-to-string';
import { EmbedMessage } from '../view/embed-document.js';
import type { PageSettings } from './page-response.js';

/** Any page may frame this one, in which nothing runs and nothing is sent. */
export const FRAME_HEADERS: ResponseHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors *",
};

/** Is the answer shown in a frame of another site? There a page that refuses to be framed is an error of the browser. */
export function isFramed({ path }: Pick<RequestHead, 'path'>): boolean {
  return path.startsWith('/embed/');
}

/** A frame with only a message. */
export function frameMessage(
  { assets }: PageSettings,
  status: number,
  words: { readonly title: string; readonly lead: string },
  headers: ResponseHeaders,
): ServiceResponse {
  return {
    status,
    headers: { ...FRAME_HEADERS, ...headers },
    body: `<!doctype html>${renderToString(<EmbedMessage {...words} assets={assets} />)}`,
  };
}
