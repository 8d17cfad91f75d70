import { BUNDLE_TYPES, PROTOCOLS } from '@cer/cer-core';
import { html, visible, type Html } from '@cer/pages';
import { choiceField, faultSummary, selectField, textField } from '../web/fields.js';
import type { FormFault } from '../web/form.js';
import { moment } from '../web/moments.js';
import type { PageAnswer } from '../web/page-answer.js';
import { countText } from './export-pages.js';
import type { RecordCount, RecordRow } from './node-records.js';
import { pageQuery, type FilterName, type RecordQuestion } from './record-filter.js';

export interface RecordListPage {
  readonly question: RecordQuestion;
  readonly rows: readonly RecordRow[];
  /** Leads to the next page; null on the last one. */
  readonly nextCursor: string | null;
  /** Whether this is a later page. */
  readonly isContinued: boolean;
  /** How many records there are on all pages; null: not known. */
  readonly count: RecordCount | null;
  /** Sections between the list and the export. */
  readonly more?: readonly Html[];
  /** Whether the reader may share a link. */
  readonly mayShare: boolean;
}

export function recordListPage({
  question,
  rows,
  nextCursor,
  isContinued,
  count,
  more = [],
  mayShare,
}: RecordListPage): PageAnswer {
  const query = pageQuery(question).toString();
  return {
    title: 'Records',
    body: html`<p class="lead">The certificates of this account, newest first.</p>
      ${searchForm(question)}
      <section aria-labelledby="found">
        <h2 id="found">${isContinued ? 'Further certificates' : 'Certificates'}</h2>
        ${rows.length === 0 ? html`<p class="card empty">${nothing(question, isContinued)}</p>` : recordTable(rows, (hash) => `/records/certificate/${hash}`)}
        <p class="acts">
          ${isContinued && html`<a href="/records${query !== '' && `?${query}`}">First page</a>`}
          ${nextCursor !== null && html`<a class="button" rel="next" href="/records?${withCursor(question, nextCursor)}">Next page</a>`}
        </p>
      </section>
      ${more}
      <section class="card" aria-labelledby="export">
        <h2 id="export">Export</h2>
        <p>Everything that these filters find, as one signed audit package: ${countText(count, rows.length)}.</p>
        <p class="acts">
          <a class="button" href="/records/exports${query !== '' && `?${query}`}">Export these records</a>
          ${mayShare && html`<a href="/shares/new${query !== '' && `?${query}`}">Share a link to these records</a>`}
        </p>
      </section>`,
  };
}

/** The form alone, with what was typed and its faults: nothing is listed. */
export function faultyRecordsPage(question: RecordQuestion, faults: readonly FormFault[]): PageAnswer {
  return { title: 'Records', status: 400, body: html`${faultSummary(faults)} ${searchForm(question, faults)}` };
}

function withCursor(question: RecordQuestion, cursor: string): string {
  const query = pageQuery(question);
  query.set('cursor', cursor);
  return query.toString();
}

function nothing({ search, filters }: RecordQuestion, isContinued: boolean): string {
  if (isContinued) return 'There are no further certificates.';
  return search === '' && filters.size === 0
    ? 'This account has no certificate yet.'
    : 'No certificate of this account fits. Deleted ones are not found.';
}

function searchForm({ search, filters }: RecordQuestion, faults?: readonly FormFault[]): Html {
  const field = (name: FilterName, label: string, hint?: string): Html =>
    textField({ name, label, value: filters.get(name), optional: true, faults, ...(hint !== undefined && { hint }) });
  return html`<form method="get" action="/records" class="card">
    ${textField({
      name: 'search',
      label: 'Search',
      value: search,
      optional: true,
      hint: 'The whole hash of a certificate or project, or an executionId',
      faults,
    })}
    <details ${filters.size > 0 && html`open`}>
      <summary>Filters</summary>
      <div class="filters">
        ${field('attested_from', 'From', 'Day in UTC, such as 2026-01-31')} ${field('attested_to', 'Before')}
        ${field('app_id', 'Application')} ${field('provider', 'Provider')} ${field('model', 'Model')}
        ${field('reviewed_hash', 'Reviews of', 'The whole hash of a certificate or project, sha256: included')}
        ${choice('bundle_type', 'Bundle type', [...BUNDLE_TYPES.keys()], filters)}
        ${choice('protocol_version', 'Protocol', [...PROTOCOLS.keys()], filters)}
        ${choice('status', 'Public', ['visible', 'hidden'], filters)}
        ${flag('timestamped', 'Has an external timestamp', filters)}
        ${flag('log_proof', 'Has a place in the transparency log', filters)}
      </div>
    </details>
    <p class="acts"><button>Search</button> <a href="/records">Clear</a></p>
  </form>`;
}

type Filters = RecordQuestion['filters'];

function choice(name: FilterName, label: string, values: readonly string[], filters: Filters): Html {
  return selectField(name, label, [
    { value: '', label: 'any', chosen: !filters.has(name) },
    ...values.map((value) => ({ value, label: value, chosen: filters.get(name) === value })),
  ]);
}

function flag(name: FilterName, label: string, filters: Filters): Html {
  return choiceField('checkbox', name, label, [{ value: 'true', label: 'only these', chosen: filters.has(name) }]);
}

/** @param hrefOf the page of a certificate, by its hash */
export function recordTable(rows: readonly RecordRow[], hrefOf: (certificateHash: string) => string): Html {
  return html`<div class="scroll card" role="region" aria-label="Table of certificates" tabindex="0">
    <table>
      <thead>
        <tr>
          <th scope="col">Certificate</th>
          <th scope="col">First attested</th>
          <th scope="col">Application</th>
          <th scope="col">Model</th>
          <th scope="col">Execution</th>
          <th scope="col">State</th>
        </tr>
      </thead>
      <tbody>
        ${rows.map((row) => tableRow(row, hrefOf(row.certificateHash)))}
      </tbody>
    </table>
  </div>`;
}

function tableRow(row: RecordRow, href: string): Html {
  const { certificateHash, firstAttestedAt, appId, provider, model, executionId, status, timestampedAt } = row;
  return html`<tr>
    <th scope="row">
      <a href="${href}"><code>${certificateHash.slice('sha256:'.length, 19)}</code></a>
    </th>
    <td>${moment(firstAttestedAt)}</td>
    ${longCell(appId ?? '–')} ${longCell(model === null ? '–' : `${provider ?? ''} ${model}`)}
    ${longCell(executionId ?? '–')}
    <td class="state">${status}${timestampedAt !== null && ', timestamped'}</td>
  </tr>`;
}

/** A name of any length, cut to the width of its column; the whole one is on the page of the certificate. */
function longCell(text: string): Html {
  const shown = visible(text);
  return html`<td class="long" title="${shown}">${shown}</td>`;
}
