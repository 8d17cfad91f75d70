import { createHash } from 'node:crypto';
import { jsonText, type Route } from '@cer/http-service';
import type { Runtime } from '../status/runtime.js';
import { docsPage, DOCS_STYLE } from './docs-page.js';
import { openApiDocument } from './openapi-document.js';

export interface OpenApiDeps {
  readonly runtime: Pick<Runtime, 'version'>;
}

const STYLE_HASH = createHash('sha256').update(DOCS_STYLE).digest('base64');

const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
};

/** @see docs/spec.md, "GET /openapi.json" */
export function openApiRoutes({ runtime }: OpenApiDeps): Route[] {
  const document = openApiDocument(runtime.version);
  const text = JSON.stringify(document);
  const page = docsPage(document);
  return [
    { method: 'GET', path: '/openapi.json', cors: 'public', handler: async () => jsonText(200, text) },
    {
      method: 'GET',
      path: '/docs',
      cors: 'public',
      handler: async () => ({ status: 200, headers: PAGE_HEADERS, body: page }),
    },
  ];
}
