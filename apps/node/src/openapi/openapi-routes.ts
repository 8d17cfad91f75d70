import { createHash } from 'node:crypto';
import { jsonText } from '@cer/http-service';
import { documentRow } from '@cer/http-service/openapi';
import { docsPage, DOCS_STYLE } from './docs-page.js';
import { openApiDocument } from './openapi-document.js';
import type { DescribedRoute } from './route-description.js';

const STYLE_HASH = createHash('sha256').update(DOCS_STYLE).digest('base64');

const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
};

const OWN_ROUTES = {
  document: documentRow('The node'),
  page: {
    method: 'GET',
    path: '/docs',
    cors: 'public',
    description: {
      group: 'The node',
      summary: 'This description for people',
      access: 'public',
      success: { 200: { description: 'A page without script.', mediaTypes: ['text/html'] } },
    },
  },
} as const;

/**
 * Routes that describe `routes` and themselves.
 * @param version of the node
 * @see docs/spec.md, "GET /openapi.json"
 */
export function openApiRoutes(version: string, routes: readonly DescribedRoute[]): DescribedRoute[] {
  const document = openApiDocument(version, [...routes, OWN_ROUTES.document, OWN_ROUTES.page]);
  const text = JSON.stringify(document);
  const page = docsPage(document);
  return [
    { ...OWN_ROUTES.document, handler: async () => jsonText(200, text) },
    { ...OWN_ROUTES.page, handler: async () => ({ status: 200, headers: PAGE_HEADERS, body: page }) },
  ];
}
