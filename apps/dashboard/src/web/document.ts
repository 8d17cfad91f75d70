import { html, renderDocument, type Html, type SignedInHeader } from '@cer/pages';
import type { Session } from '../store/index.js';
import { STYLESHEET } from './assets.js';
import { formTokenField } from './fields.js';

/** The content of one page. */
export interface PageContent {
  readonly title: string;
  readonly body: Html;
  /** Shown at the top after an act. */
  readonly notice?: string | undefined;
  /** Path of the page's script. */
  readonly script?: string | undefined;
}

/** The frame of a page for a signed-in reader. */
export interface SignedInFrame {
  readonly session: Session;
  readonly path: string;
  readonly formToken: string;
}

/** The pages in the navigation. */
export const PLACES = [
  ['/', 'Overview'],
  ['/records', 'Records'],
  ['/coverage', 'Coverage'],
  ['/alerts', 'Alerts'],
  ['/shares', 'Shared links'],
  ['/keys', 'API keys'],
  ['/integrations', 'Integrations'],
  ['/usage', 'Plan and usage'],
  ['/users', 'Users'],
  ['/settings', 'Settings'],
  ['/security', 'Your sign-in'],
  ['/activity', 'Activity'],
] as const;

/** A whole page, with navigation when the reader is signed in. */
export function documentOf({ title, body, notice, script }: PageContent, frame?: SignedInFrame): string {
  return renderDocument({
    site: 'Execution Certification',
    title,
    stylesheet: STYLESHEET.path,
    ...(script !== undefined && { script }),
    signedIn: frame === undefined ? undefined : signedInHeader(frame),
    main: html`${notice !== undefined && html`<p class="notice good" role="status">${notice}</p>`}
      ${frame !== undefined && suspension(frame.session)}
      <h1>${title}</h1>
      ${body}`,
  });
}

function signedInHeader({ session, path, formToken }: SignedInFrame): SignedInHeader {
  return {
    account: session.tenant.name,
    email: session.user.email,
    signOut: html`<form method="post" action="/sign-out">
      ${formTokenField(formToken)}
      <button class="quiet">Sign out</button>
    </form>`,
    places: PLACES.map(([href, name]) => ({
      href,
      name,
      isCurrent: href === '/' ? path === '/' : path.startsWith(href),
    })),
  };
}

function suspension({ tenant }: Session): Html | false {
  return (
    tenant.status === 'suspended' &&
    html`<p class="notice bad" role="status">
      This account is suspended: its API keys do not work and nothing can be changed. Ask the operator of this service.
    </p>`
  );
}
