import type { ResponseHeaders } from '@cer/http-service';
import { html, type Html } from '@cer/pages';
import type { RecordsPage } from '../records/node-records.js';
import { recordTable } from '../records/record-list-page.js';
import { recordSections, type CheckedRecord } from '../records/record-page.js';
import type { Share, Tenant } from '../store/index.js';
import { moment } from '../web/moments.js';
import type { PageAnswer } from '../web/page-answer.js';

/** A link that works, and its address. */
export interface OpenShare {
  readonly share: Share;
  readonly tenant: Tenant;
  readonly path: string;
}

/** No search engine lists these pages, and no link from them names them. */
const HEADERS = {
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex, nofollow, noarchive',
  'cache-control': 'no-store',
};

function plainPage(title: string, status: number, sentence: string, headers?: ResponseHeaders): PageAnswer {
  return { title, status, headers: { ...HEADERS, ...headers }, body: html`<p>${sentence}</p>` };
}

/** The same for every address that is not a link. */
export function unknownSharePage(): PageAnswer {
  return plainPage('Not found', 404, 'There is no such link. Check that the address is whole.');
}

export function refusedSharePage(status: number, sentence: string, headers?: ResponseHeaders): PageAnswer {
  return plainPage(status === 404 ? 'Not found' : 'This did not work', status, sentence, headers);
}

export function busySharePage(): PageAnswer {
  const sentence = 'This link was opened too often in the last minute. Try again in a minute.';
  return plainPage('Too many requests', 429, sentence, { 'retry-after': '60' });
}

export function endedSharePage(share: Share, end: 'revoked' | 'expired' | 'suspended'): PageAnswer {
  const sentence = {
    revoked: 'The account that shared this link has revoked it.',
    expired: `This link was valid until ${share.expiresAt.slice(0, 10)}.`,
    suspended: 'This link cannot be opened at present.',
  }[end];
  return plainPage('This link has ended', 410, `${sentence} Ask for a new one where you got it.`);
}

export function sharedSetPage(open: OpenShare, { records, nextCursor }: RecordsPage, isContinued: boolean): PageAnswer {
  return {
    title: 'Shared certificates',
    headers: HEADERS,
    body: html`${lead(open)}
      ${
        records.length === 0
          ? html`<p class="card empty">There ${isContinued ? 'are no further' : 'are no'} certificates to show.</p>`
          : recordTable(records, (hash) => `${open.path}/certificate/${hash}`)
      }
      <p class="acts">
        ${isContinued && html`<a href="${open.path}">First page</a>`}
        ${nextCursor !== null && html`<a class="button" rel="next" href="${open.path}?${new URLSearchParams({ cursor: nextCursor }).toString()}">Next page</a>`}
      </p>`,
  };
}

export function sharedCertificatePage(open: OpenShare, checked: CheckedRecord): PageAnswer {
  const { row } = checked;
  return {
    title: 'Shared certificate',
    headers: HEADERS,
    body: html`${lead(open)} ${recordSections(checked)}
      <p class="acts">
        <a class="button" href="${open.path}/download/${row.certificateHash}">Download</a>
        <a href="${row.verificationUrl}">Public page</a>
        ${open.share.kind === 'set' && html`<a href="${open.path}">All shared certificates</a>`}
      </p>`,
  };
}

function lead({ share, tenant }: OpenShare): Html {
  return html`<p class="lead">
    Shared by ${tenant.name} until ${moment(share.expiresAt)}. Anyone with this link can read it.
  </p>`;
}
