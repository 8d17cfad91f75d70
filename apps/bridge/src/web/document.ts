import type { ServiceResponse } from '@cer/http-service';
import { html, pageHeaders, renderDocument, type Html, type SignedInHeader } from '@cer/pages';
import type { Session } from '../store/index.js';
import type { AssetPaths } from './assets.js';
import { handoffMessages } from './handoff-messages.js';

/** The content of one page. */
export interface PageContent {
  readonly title: string;
  readonly body: Html;
  readonly status?: number;
}

export interface PageFrame {
  readonly assets: AssetPaths;
  /** This bridge's origin. */
  readonly publicUrl: string;
  readonly dashboardUrl: string;
  readonly path: string;
  /** Null on the pages that need no session. */
  readonly session: Session | null;
}

const PLACES = [
  ['/', 'Live evidence'],
  ['/send', 'Send data'],
] as const;

/** An answer that a browser shows. */
export type PageResponse = ServiceResponse & { readonly body: string };

export function pageResponse({ title, body, status = 200 }: PageContent, frame: PageFrame): PageResponse {
  const { assets, publicUrl, dashboardUrl, session } = frame;
  return {
    status,
    headers: pageHeaders({ publicUrl, formAction: ["'none'"], hasScripts: true }),
    body: renderDocument({
      site: 'Evidence bridge',
      title,
      stylesheet: assets.stylesheet,
      earlyScript: assets.handoffScript,
      script: assets.script,
      signedIn: session === null ? undefined : signedInHeader(session, frame),
      main: html`${handoffMessages(session, dashboardUrl)}
        <div data-page class="page">
          <h1>${title}</h1>
          ${body}
        </div>`,
    }),
  };
}

function signedInHeader({ tenantName, user }: Session, { path, dashboardUrl }: PageFrame): SignedInHeader {
  return {
    account: tenantName,
    email: user.email,
    signOut: html`<button class="quiet" type="button" data-act="sign-out">Sign out</button>`,
    places: [
      ...PLACES.map(([href, name]) => ({ href, name, isCurrent: href === path })),
      { href: `${dashboardUrl}/`, name: 'Dashboard', isCurrent: false },
    ],
  };
}
