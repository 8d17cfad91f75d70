import type { ComponentChildren, VNode } from 'preact';
import { Icon } from './icon.js';
import { TEXTS } from './texts.js';

const T = TEXTS.site;

/** Settings of the page's script, from configuration and build. */
export interface PageAssets {
  readonly script: string;
  readonly worker: string;
  readonly style: string;
  readonly icon: string;
}

export interface DocumentProps {
  readonly title: string;
  readonly description: string;
  /** Absolute, from configuration only. */
  readonly url: string;
  readonly assets: PageAssets;
  readonly publicNodeUrl: string;
  /** Address of the description by which other sites embed the page. */
  readonly oembed?: string;
  readonly current?: 'home' | 'how' | 'keys' | 'log';
  /** Plain data for the script; a data block is never run. */
  readonly state?: unknown;
  readonly indexable?: boolean;
  readonly children: ComponentChildren;
}

/** The frame of every page of the site. */
export function Document(props: DocumentProps): VNode {
  const { title, description, url, assets, publicNodeUrl, oembed, current, state, indexable = false, children } = props;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{title}</title>
        <meta name="description" content={description} />
        {!indexable && <meta name="robots" content="noindex" />}
        <meta property="og:type" content="website" />
        <meta property="og:site_name" content={T.name} />
        <meta property="og:title" content={title} />
        <meta property="og:description" content={description} />
        <meta property="og:url" content={url} />
        <meta name="twitter:card" content="summary" />
        <link rel="canonical" href={url} />
        {oembed !== undefined && <link rel="alternate" type="application/json+oembed" href={oembed} title={title} />}
        <link rel="icon" href={assets.icon} type="image/svg+xml" />
        <link rel="stylesheet" href={assets.style} />
        <script type="module" src={assets.script} />
      </head>
      <body data-node={publicNodeUrl} data-worker={assets.worker}>
        <a class="skip" href="#main">
          {T.skip}
        </a>
        <header class="site-header">
          <a class="brand" href="/">
            <Icon name="seal" />
            {T.name}
          </a>
          <nav aria-label={T.navigation}>
            <NavLink href="/" isCurrent={current === 'home'} text={T.home} />
            <NavLink href="/how-it-works" isCurrent={current === 'how'} text={T.how} />
            <NavLink href="/keys" isCurrent={current === 'keys'} text={T.keys} />
            <NavLink href="/log" isCurrent={current === 'log'} text={T.log} />
            <NavLink href="/offline.html" isCurrent={false} text={T.offline} />
          </nav>
        </header>
        <main id="main" tabIndex={-1}>
          {children}
        </main>
        <footer class="site-footer">
          <p>{T.footer}</p>
        </footer>
        {state !== undefined && (
          <script type="application/json" id="page-state" dangerouslySetInnerHTML={{ __html: scriptSafeJson(state) }} />
        )}
      </body>
    </html>
  );
}

function NavLink({
  href,
  text,
  isCurrent,
}: {
  readonly href: string;
  readonly text: string;
  readonly isCurrent: boolean;
}): VNode {
  return (
    <a href={href} {...(isCurrent && { 'aria-current': 'page' as const })}>
      {text}
    </a>
  );
}

/** JSON in which no text can end the surrounding script element. */
export function scriptSafeJson(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll('<', '\\u003c')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
}
