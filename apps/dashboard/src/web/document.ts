import type { Session } from '../store/index.js';
import { ICON, STYLESHEET } from './assets.js';
import { formTokenField } from './fields.js';
import { html, type Html } from './html.js';

/** What of a page differs from page to page. */
export interface PageContent {
  readonly title: string;
  readonly body: Html;
  /** Said at the top, after something was done. */
  readonly notice?: string | undefined;
}

/** The frame of a page for somebody who is signed in. */
export interface SignedInFrame {
  readonly session: Session;
  readonly path: string;
  readonly formToken: string;
}

/** The pages in the navigation. */
export const PLACES = [
  ['/', 'Overview'],
  ['/keys', 'API keys'],
  ['/integrations', 'Integrations'],
  ['/usage', 'Plan and usage'],
  ['/users', 'Users'],
  ['/settings', 'Settings'],
  ['/activity', 'Activity'],
] as const;

/** A whole page, with navigation for somebody who is signed in. */
export function documentOf(content: PageContent, frame?: SignedInFrame): string {
  const { title, body, notice } = content;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} – Execution Certification</title>
        <link rel="icon" type="image/svg+xml" href="${ICON.path}" />
        <link rel="stylesheet" href="${STYLESHEET.path}" />
      </head>
      <body class="${frame === undefined ? 'alone' : 'framed'}">
        <a class="skip" href="#content">Skip to the content</a>
        <header>
          <a class="brand" href="/"><span class="seal" aria-hidden="true"></span>Execution Certification</a>
          ${frame !== undefined && who(frame)}
        </header>
        ${frame !== undefined && navigation(frame)}
        <main id="content" tabindex="-1">
          ${notice !== undefined && html`<p class="notice good" role="status">${notice}</p>`}
          ${frame !== undefined && suspension(frame.session)}
          <h1>${title}</h1>
          ${body}
        </main>
      </body>
    </html>`.text;
}

function who({ session, formToken }: SignedInFrame): Html {
  const { user, tenant } = session;
  return html`<div class="who">
    <p><strong>${tenant.name}</strong><span>${user.email}</span></p>
    <form method="post" action="/sign-out">
      ${formTokenField(formToken)}
      <button class="quiet">Sign out</button>
    </form>
  </div>`;
}

function navigation({ path }: SignedInFrame): Html {
  return html`<nav aria-label="Main">
    <ul>
      ${PLACES.map(([href, name]) => {
        const here = href === '/' ? path === '/' : path.startsWith(href);
        return html`<li><a href="${href}" ${here && html`aria-current="page"`}>${name}</a></li>`;
      })}
    </ul>
  </nav>`;
}

function suspension({ tenant }: Session): Html | false {
  return (
    tenant.status === 'suspended' &&
    html`<p class="notice bad" role="status">
      This account is suspended: its API keys do not work and nothing can be changed. Ask the operator of this service.
    </p>`
  );
}
