import { createHash } from 'node:crypto';
import { accepts, weightOf, type RequestHead, type ResponseHeaders, type ServiceResponse } from '@cer/http-service';
import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { Document, type DocumentProps, type PageAssets } from '../view/document.js';

/** Inputs of every page. */
export interface PageSettings {
  readonly publicUrl: string;
  readonly publicNodeUrl: string;
  readonly assets: PageAssets;
  /** Changes with every build, so that a cached page never outlives its scripts. */
  readonly buildId: string;
  /** The text of the policy under which this site judges log proofs; null: it judges none. */
  readonly logPolicy: string | null;
}

/** No inline script or style, no third party, and connections to the configured node only. */
function contentSecurityPolicy(publicNodeUrl: string): string {
  const node = new URL(publicNodeUrl).origin;
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    `connect-src 'self' ${node}`,
    "worker-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** The headers that keep a page safe. */
export function pageProtection({ publicNodeUrl }: PageSettings): ResponseHeaders {
  return {
    'content-security-policy': contentSecurityPolicy(publicNodeUrl),
    'cross-origin-opener-policy': 'same-origin',
  };
}

type PageContent = Omit<DocumentProps, 'assets' | 'publicNodeUrl' | 'url'> & { readonly path: string };

/** An HTML page. */
export function page(
  settings: PageSettings,
  status: number,
  content: PageContent,
  headers?: ResponseHeaders,
): ServiceResponse {
  const { path, ...rest } = content;
  const { assets, publicNodeUrl, publicUrl } = settings;
  const document: VNode = (
    <Document {...rest} url={`${publicUrl}${path}`} assets={assets} publicNodeUrl={publicNodeUrl} />
  );
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      ...pageProtection(settings),
      ...headers,
    },
    body: `<!doctype html>${renderToString(document)}`,
  };
}

/** An entity tag over everything that the answer depends on. */
export function entityTag(...parts: readonly string[]): string {
  return `W/"${createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 27)}"`;
}

/**
 * 304 where the visitor has this version, else the result of `make`, with the tag.
 * @param protection the headers that protect the answer: a browser puts the headers of a 304 on the page it holds, and
 *   would give it the policy of an answer that is not a page
 */
export function unlessUnchanged(
  head: RequestHead,
  etag: string,
  vary: string,
  protection: ResponseHeaders,
  make: () => ServiceResponse,
): ServiceResponse {
  const headers = { etag, vary, 'cache-control': 'no-cache' };
  const held = head.headers['if-none-match']?.split(',').map((tag) => tag.trim());
  const unchanged: ServiceResponse = { status: 304, headers: { ...protection, ...headers }, body: null };
  if (held?.includes(etag) === true) return unchanged;
  const answer = make();
  // `*` is any page that exists.
  if (held?.includes('*') === true && answer.status === 200) return unchanged;
  return { ...answer, headers: { ...answer.headers, ...headers } };
}

/** Does the client ask for JSON rather than a page? Where it wants both equally, the one it names first counts. */
export function prefersJson(head: RequestHead): boolean {
  if (!accepts(head, 'application/json') || !accepts(head, 'text/html')) return accepts(head, 'application/json');
  const [json, page] = [weightOf(head, 'application/json'), weightOf(head, 'text/html')];
  if (json !== page) return json > page;
  const accept = head.headers['accept']?.toLowerCase() ?? '';
  return accept.indexOf('application/json') < accept.indexOf('text/html');
}

/** Does the client take a page? Browsers say so; a client that names nothing, or everything, is a program. */
export function prefersPage(head: RequestHead): boolean {
  return accepts(head, 'text/html') && !prefersJson(head);
}
