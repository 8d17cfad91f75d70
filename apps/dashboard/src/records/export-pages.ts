import { counted } from '@cer/cer-core/wording';
import { html, type Html } from '@cer/pages';
import { moment } from '../web/moments.js';
import type { PageAnswer } from '../web/page-answer.js';
import type { ExportState } from './exports.js';
import type { RecordCount } from './node-records.js';

/** Seconds after which a browser loads the page of a running export again. */
const AGAIN_AFTER_S = 3;

/** The size of an export. @param shown records of a page, where they are not counted */
export function countText(found: RecordCount | null, shown?: number): string {
  if (found === null)
    return shown === undefined ? 'an unknown number of records' : `more than ${counted(shown, 'record')}`;
  const { count, isExact } = found;
  return `${isExact ? '' : 'at least '}${count.toLocaleString('en')} ${count === 1 ? 'record' : 'records'}`;
}

export interface ExportPage {
  readonly id: string;
  /** The filters, as a query. */
  readonly query: string;
  /** Null: this process does not know it. */
  readonly known: ExportState | null;
  /** Whether the page stays as it is. */
  readonly isStill: boolean;
}

/** An export: its download and its progress. */
export function exportPage({ id, query, known, isStill }: ExportPage): PageAnswer {
  const isRunning = known?.state === 'running';
  const withQuery = (path: string, ...more: [string, string][]): string => {
    const whole = new URLSearchParams([...new URLSearchParams(query), ...more]).toString();
    return whole === '' ? path : `${path}?${whole}`;
  };
  const here = `/records/exports/${id}`;
  return {
    title: 'Export',
    ...(isRunning && !isStill && { headers: { 'cache-control': 'no-store', refresh: String(AGAIN_AFTER_S) } }),
    body: html`<section class="card" aria-labelledby="export">
        <h2 id="export">Audit package${known !== null && html` of ${countText(known.count)}`}</h2>
        <p role="status">${sentence(known)}</p>
        <p class="acts">
          ${known?.state === 'announced' && html`<a class="button" href="${withQuery('/records/export', ['follow', id])}">Download</a>`}
          <a href="${withQuery(here)}">${known?.state === 'announced' ? 'Show the progress' : 'Load again'}</a>
          ${isRunning && !isStill && html`<a href="${withQuery(here, ['still', '1'])}">Stop loading this page every ${AGAIN_AFTER_S} seconds</a>`}
        </p>
        <p class="muted">
          An interrupted download is not a whole package. Check it:
          <code>cer verify-package FILE.zip --keys NODE</code>
        </p>
      </section>
      <p><a href="${withQuery('/records')}">These records</a></p>`,
  };
}

function sentence(known: ExportState | null): Html {
  if (known === null)
    return html`Nothing is known of this export: it ended more than an hour ago, or another instance sends it.`;
  const { state, bytes, startedAt, endedAt } = known;
  const size = `${(bytes / 1e6).toLocaleString('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 })} MB`;
  switch (state) {
    case 'announced':
      return html`The download has not begun.`;
    case 'running':
      return html`${size} are sent, since ${moment(startedAt)}.`;
    case 'done':
      return html`Done: ${size} were sent, until ${moment(endedAt)}.`;
    case 'broken off':
      return html`Broken off at ${moment(endedAt)}, after ${size}. Begin again from the records.`;
  }
}
