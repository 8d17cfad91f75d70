import type { ServiceResponse } from '@cer/http-service';
import type { Session } from '../store/index.js';
import type { AssetPaths } from './assets.js';
import { handoffMessages } from './handoff-messages.js';
import { html, type Html } from './html.js';

/** What of a page differs from page to page. */
export interface PageContent {
  readonly title: string;
  readonly body: Html;
  readonly status?: number;
}

export interface PageFrame {
  readonly assets: AssetPaths;
  readonly dashboardUrl: string;
  readonly path: string;
  /** Null on the pages that need no session. */
  readonly session: Session | null;
}

const PLACES = [
  ['/', 'Live evidence'],
  ['/send', 'Send data'],
] as const;

/** Nothing from elsewhere, no script in the page itself, nobody may frame it. */
const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
};

/** An answer that a browser shows. */
export type PageResponse = ServiceResponse & { readonly body: string };

/** @param isSecure whether browsers may be told never to come back unencrypted */
export function pageResponse(content: PageContent, frame: PageFrame, isSecure: boolean): PageResponse {
  return {
    status: content.status ?? 200,
    headers: { ...HEADERS, ...(isSecure && { 'strict-transport-security': 'max-age=31536000' }) },
    body: documentOf(content, frame),
  };
}

function documentOf({ title, body }: PageContent, frame: PageFrame): string {
  const { assets, session, dashboardUrl } = frame;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <script src="${assets.handoffScript}"></script>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} – Evidence bridge</title>
        <link rel="icon" type="image/svg+xml" href="${assets.icon}" />
        <link rel="stylesheet" href="${assets.stylesheet}" />
        <script src="${assets.script}" defer></script>
      </head>
      <body class="${session === null ? 'alone' : 'framed'}">
        <a class="skip" href="#content">Skip to the content</a>
        <header>
          <a class="brand" href="/"><span class="seal" aria-hidden="true"></span>Evidence bridge</a>
          ${session !== null && who(session)}
        </header>
        ${session !== null && navigation(frame)}
        <main id="content" tabindex="-1">
          ${handoffMessages(session, dashboardUrl)}
          <div data-page class="page">
            <h1>${title}</h1>
            ${body}
          </div>
        </main>
      </body>
    </html>`.text;
}

function who({ tenantName, user }: Session): Html {
  return html`<div class="who">
    <p><strong>${tenantName}</strong><span>${user.email}</span></p>
    <button class="quiet" type="button" data-act="sign-out">Sign out</button>
  </div>`;
}

function navigation({ path, dashboardUrl }: PageFrame): Html {
  return html`<nav aria-label="Main">
    <ul>
      ${PLACES.map(([href, name]) => html`<li><a href="${href}" ${href === path && html`aria-current="page"`}>${name}</a></li>`)}
      <li><a href="${dashboardUrl}/">Dashboard</a></li>
    </ul>
  </nav>`;
}
