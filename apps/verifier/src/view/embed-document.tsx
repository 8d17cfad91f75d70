import type { ComponentChildren, VNode } from 'preact';
import type { Outcome } from '../check/headline.js';
import type { PageAssets } from './document.js';
import { verdictTitle, shortHash, type EmbeddedRecord } from './embed-code.js';
import { Icon } from './icon.js';
import { recordPath } from './record-path.js';
import { TEXTS } from './texts.js';
import { TONE_ICONS } from './verdict.js';

const T = TEXTS.embed;

/** The site's verdict for a frame on a page of another site: words without a script, and a link to the check. */
export function EmbedDocument(
  props: EmbeddedRecord & { readonly outcome: Outcome; readonly assets: PageAssets },
): VNode {
  const { kind, hash, publicUrl, outcome, assets } = props;
  return (
    <Frame title={verdictTitle(outcome, hash)} assets={assets}>
      <main class={`verdict tone-${outcome.tone}`} data-verdict={outcome.verdict} data-tone={outcome.tone}>
        <span class="verdict-mark">
          <Icon name={TONE_ICONS[outcome.tone]} />
        </span>
        <div class="verdict-words">
          <h1 class="verdict-title">{TEXTS.headlines[outcome.headline].title}</h1>
          <p class="verdict-lead">
            {T.found[kind]} <code>{shortHash(hash)}</code> {T.by} {new URL(publicUrl).host}.{' '}
            <a href={`${publicUrl}${recordPath(kind, hash)}`} target="_blank" rel="noopener">
              {T.check}
            </a>
          </p>
        </div>
      </main>
    </Frame>
  );
}

/** A message in the place of a verdict. */
export function EmbedMessage({
  title,
  lead,
  assets,
}: {
  readonly title: string;
  readonly lead: string;
  readonly assets: PageAssets;
}): VNode {
  return (
    <Frame title={title} assets={assets}>
      <main class="verdict tone-unknown">
        <span class="verdict-mark">
          <Icon name={TONE_ICONS.unknown} />
        </span>
        <div class="verdict-words">
          <h1 class="verdict-title">{title}</h1>
          <p class="verdict-lead">{lead}</p>
        </div>
      </main>
    </Frame>
  );
}

function Frame({
  title,
  assets,
  children,
}: {
  readonly title: string;
  readonly assets: PageAssets;
  readonly children: ComponentChildren;
}): VNode {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>{title}</title>
        <link rel="stylesheet" href={assets.style} />
      </head>
      <body class="embed">{children}</body>
    </html>
  );
}
