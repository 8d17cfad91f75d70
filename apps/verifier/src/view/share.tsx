import type { VNode } from 'preact';
import { CopyBlock, CopyButton } from './copy-block.js';
import { TEXTS } from './texts.js';

const T = TEXTS.share;

interface ShareProps {
  readonly kind: 'certificate' | 'project';
  /** `/c/sha256%3A…` or `/p/…`. */
  readonly path: string;
  readonly publicUrl: string;
  /** The node's own answer, for visitors who want the bytes. */
  readonly recordUrl: string;
  /** The element that shows the verdict on another site. */
  readonly embedCode: string;
  /** `null`: the record has no badge. */
  readonly badge: string | null;
  /** Whether the page that draws again can draw the picture. */
  readonly isRedrawable: boolean;
}

export function Share({ kind, path, publicUrl, recordUrl, embedCode, badge, isRedrawable }: ShareProps): VNode {
  return (
    <section class="card share" aria-labelledby="share-title">
      <h2 id="share-title">{T.title}</h2>
      <div class="share-grid">
        <div>
          <p>
            <a class="button" href={`${path}/offline.html`} download>
              {T.save[kind]}
            </a>{' '}
            <button type="button" class="button quiet needs-script" data-print>
              {TEXTS.site.print}
            </button>
          </p>
          <p class="note">{T.saveNote}</p>
          <p>
            {T.link}: <code id="page-address">{`${publicUrl}${path}`}</code>{' '}
            <CopyButton target="page-address" label={T.link} />
          </p>
          <ul class="plain">
            <li>
              <a href={`${path}/report.json`}>{T.json}</a>
            </li>
            <li>
              <a href={recordUrl} rel="noreferrer">
                {T.record}
              </a>
            </li>
            {isRedrawable && (
              <li>
                <a href="/redraw.html">{T.redraw}</a>
              </li>
            )}
          </ul>
          <details>
            <summary>{T.embed}</summary>
            <p class="note">{T.embedNote}</p>
            <CopyBlock id="embed-code" label={T.embedCode} text={embedCode} />
          </details>
          {badge !== null && (
            <p>
              {T.badge}: <img src={badge} alt={T.badge} height="20" />
            </p>
          )}
        </div>
        <img class="qr" src={`${path}/qr.svg`} alt={T.qr} width="148" height="148" />
      </div>
    </section>
  );
}
