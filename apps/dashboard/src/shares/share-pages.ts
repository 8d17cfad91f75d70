import { html, visible, type Html } from '@cer/pages';
import type { Share, ShareTarget } from '../store/index.js';
import { formTokenField, selectField } from '../web/fields.js';
import { pageLinks, type ListPage } from '../web/list-page.js';
import { moment } from '../web/moments.js';
import type { PageAnswer } from '../web/page-answer.js';
import { newIdField } from '../web/sent-once.js';
import { endOf, LIFETIMES } from './share.js';

export const SHARE_ID = 'share_id';

export interface SharesPage {
  readonly formToken: string;
  readonly shares: ListPage<Share>;
  readonly mayChange: boolean;
  readonly now: Date;
  readonly notice?: string | undefined;
}

export function sharesPage({ formToken, shares, mayChange, now, notice }: SharesPage): PageAnswer {
  return {
    title: 'Shared links',
    notice,
    body: html`<p class="lead">
        Anyone with a link can read what it shows until its end, without an account. Make one from the
        <a href="/records">records</a> or from a certificate.
      </p>
      ${
        shares.items.length === 0
          ? html`<p class="card empty">${shares.isContinued ? 'There are no further links.' : 'No links yet.'}</p>`
          : html`<ul class="items">
              ${shares.items.map((share) => shareItem(share, formToken, mayChange, now))}
            </ul>`
      }
      ${pageLinks('/shares', shares)}`,
  };
}

function shareItem(share: Share, formToken: string, mayChange: boolean, now: Date): Html {
  // The status of the account itself is shown at the top of every page.
  const end = endOf(share, 'active', now);
  const { shareId, createdAt, createdBy, expiresAt, opens, lastOpenedAt } = share;
  return html`<li class="card item">
    <div class="item-head">
      <h2>${nameOf(share)}</h2>
      <span class="state ${end === null ? 'good' : 'bad'}">${end ?? 'works'}</span>
    </div>
    <p>${shownBy(share)}</p>
    <p class="muted">
      Made ${moment(createdAt)} by ${createdBy} · until ${moment(expiresAt)} · opened ${String(opens)}
      ${opens === 1 ? 'time' : 'times'}, last ${moment(lastOpenedAt)}
    </p>
    ${
      end === null &&
      mayChange &&
      html`<form method="post" action="/shares/${shareId}/revoke" class="acts">
        ${formTokenField(formToken)}
        <button class="quiet" aria-label="Revoke ${nameOf(share)}, made ${createdAt}">Revoke</button>
      </form>`
    }
  </li>`;
}

function nameOf({ kind }: ShareTarget): string {
  return kind === 'certificate' ? 'One certificate' : 'A set of certificates';
}

function shownBy({ kind, target }: ShareTarget): Html {
  if (kind === 'certificate') return html`<code>${target}</code>`;
  if (target === '') return html`Every certificate that is not hidden, later ones included.`;
  const filters = [...new URLSearchParams(target)].map(
    ([name, value]) => html`<li><code>${name}</code> ${visible(value)}</li>`,
  );
  return html`What these filters find, later certificates included:
    <ul>
      ${filters}
    </ul>`;
}

/** The content that a link will show, and the form that makes the link. */
export function newSharePage(formToken: string, shared: ShareTarget, mayChange: boolean): PageAnswer {
  return {
    title: 'Share a link',
    body: html`<section class="card" aria-labelledby="shows">
        <h2 id="shows">${nameOf(shared)}</h2>
        <div>${shownBy(shared)}</div>
        <p>
          Readers see and download what the certificates state, names and parameters included. Certificates that are
          hidden or deleted are not shown, also where that happens later.
        </p>
      </section>
      ${mayChange ? shareForm(formToken, shared) : html`<p>Only an owner of this account shares links.</p>`}`,
  };
}

function shareForm(formToken: string, shared: ShareTarget): Html {
  return html`<form method="post" action="/shares" class="card">
    ${formTokenField(formToken)} ${newIdField(SHARE_ID)}
    <input type="hidden" name="kind" value="${shared.kind}" />
    <input type="hidden" name="target" value="${shared.target}" />
    ${selectField(
      'days',
      'The link ends after',
      LIFETIMES.map(({ days, label }) => ({ value: String(days), label, chosen: days === 7 })),
    )}
    <p class="acts"><button>Make the link</button> <a href="/shares">Cancel</a></p>
  </form>`;
}

/** The link, which is shown only once. */
export function madeSharePage(url: string, expiresAt: Date): PageAnswer {
  return {
    title: 'Copy the link now',
    body: html`<section class="card" aria-labelledby="link">
        <h2 id="link">The link</h2>
        <pre tabindex="0" aria-label="The link"><code>${url}</code></pre>
        <p>It works until ${moment(expiresAt.toISOString())} and is not shown again: we keep only its hash.</p>
      </section>
      <p class="acts"><a class="button" href="/shares">Shared links</a></p>`,
  };
}
