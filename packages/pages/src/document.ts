import { ICON } from './assets.js';
import { html, type Html } from './html.js';

/** The parts of a page. */
export interface DocumentContent {
  /** The service's name: the brand in the header, and the end of the title. */
  readonly site: string;
  readonly title: string;
  /** Path of the style sheet. */
  readonly stylesheet: string;
  /** Path of a script that runs before the rest of the page is parsed. */
  readonly earlyScript?: string;
  /** Path of a script that runs when the page is parsed. */
  readonly script?: string;
  /** Account and navigation; absent on pages that need no session. */
  readonly signedIn?: SignedInHeader | undefined;
  /** The content of `main`, its heading included. */
  readonly main: Html;
}

export interface SignedInHeader {
  readonly account: string;
  readonly email: string;
  /** The control that ends the session. */
  readonly signOut: Html;
  /** The links of the navigation, in order. */
  readonly places: readonly { readonly href: string; readonly name: string; readonly isCurrent: boolean }[];
}

/** A whole HTML page, in the frame that every page has. */
export function renderDocument(content: DocumentContent): string {
  const { site, title, stylesheet, earlyScript, script, signedIn, main } = content;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        ${earlyScript !== undefined && html`<script src="${earlyScript}"></script>`}
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} – ${site}</title>
        <link rel="icon" type="image/svg+xml" href="${ICON.path}" />
        <link rel="stylesheet" href="${stylesheet}" />
        ${script !== undefined && html`<script src="${script}" defer></script>`}
      </head>
      <body class="${signedIn === undefined ? 'alone' : 'framed'}">
        <a class="skip" href="#content">Skip to the content</a>
        <header>
          <a class="brand" href="/"><span class="seal" aria-hidden="true"></span>${site}</a>
          ${signedIn !== undefined && account(signedIn)}
        </header>
        ${signedIn !== undefined && navigation(signedIn)}
        <main id="content" tabindex="-1">${main}</main>
      </body>
    </html>`.text;
}

function account({ account, email, signOut }: SignedInHeader): Html {
  return html`<div class="who">
    <p><strong>${account}</strong><span>${email}</span></p>
    ${signOut}
  </div>`;
}

function navigation({ places }: SignedInHeader): Html {
  return html`<nav aria-label="Main">
    <ul>
      ${places.map(
        ({ href, name, isCurrent }) =>
          html`<li><a href="${href}" ${isCurrent && html`aria-current="page"`}>${name}</a></li>`,
      )}
    </ul>
  </nav>`;
}
