import { isJsonArray, isJsonObject, member, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { reviewOf } from '@cer/cer-core/review';
import { toNodeVerifyResponse, type Evaluation, type LayerOutcome } from '@cer/cer-core/verify';
import { html, visible, type Html } from '@cer/pages';
import { CERTIFICATE_HEADLINES, certificateHeadline, LAYER_TEXTS } from '@cer/pages/verdict';
import { moment } from '../web/moments.js';
import type { PageAnswer } from '../web/page-answer.js';
import type { RecordRow } from './node-records.js';

const MAX_OUTCOME_LENGTH = 100;
const STATE_CLASS: Readonly<Record<LayerOutcome['status'], string>> = { PASS: 'good', FAIL: 'bad', SKIPPED: '' };

/** A certificate and the evaluation by this server. */
export interface CheckedRecord {
  readonly row: RecordRow;
  readonly certificate: JsonObject;
  readonly evaluation: Evaluation;
}

export interface RecordPage {
  readonly checked: CheckedRecord;
  /** Sections after those of the certificate itself. */
  readonly more: readonly Html[];
  /** Whether the reader may share a link. */
  readonly mayShare: boolean;
}

/** A certificate of this account, checked on this server. */
export function recordPage({ checked, more, mayShare }: RecordPage): PageAnswer {
  const { row } = checked;
  return {
    title: 'Certificate',
    body: html`${recordSections(checked)} ${more}
      <p class="acts">
        <a class="button" href="/records/download/${row.certificateHash}">Download</a>
        ${row.status === 'visible' ? html`<a href="${row.verificationUrl}">Public page</a>` : html`<span class="muted">Hidden: it has no public page.</span>`}
        ${mayShare && row.status === 'visible' && html`<a href="/shares/new?certificate=${row.certificateHash}">Share a link</a>`}
        <a href="/records">All records</a>
      </p>`,
  };
}

/** The verdict, the checks and the facts of a certificate. */
export function recordSections({ row, certificate, evaluation }: CheckedRecord): Html {
  const { integrity, receipt, envelope } = evaluation;
  const headline = certificateHeadline({
    status: evaluation.status,
    classification: toNodeVerifyResponse(evaluation).classification,
    isReceiptValid: receipt.status === 'PASS',
    isHashOnly: evaluation.isHashOnly,
  });
  const { title, lead } = CERTIFICATE_HEADLINES[headline];
  return html`<section class="card" aria-labelledby="verdict">
      <h2 id="verdict">${title}</h2>
      <p>${lead}</p>
      <p class="muted">
        Checked by this dashboard with the keys that the node publishes. To rely on neither, download the certificate
        and use <code>cer verify</code> with keys of your own.
      </p>
    </section>
    <section class="card" aria-labelledby="layers">
      <h2 id="layers">${LAYER_TEXTS.title}</h2>
      <ul class="layers">
        ${layer('integrity', integrity)} ${layer('receipt', receipt)} ${layer('envelope', envelope)}
      </ul>
    </section>
    <section class="card" aria-labelledby="facts">
      <h2 id="facts">Record</h2>
      ${facts(row, certificate, evaluation)}
    </section>`;
}

function layer(name: 'integrity' | 'receipt' | 'envelope', outcome: LayerOutcome): Html {
  const texts = LAYER_TEXTS[name];
  const sentence =
    outcome.status === 'SKIPPED' ? (LAYER_TEXTS.reasons[outcome.reason] ?? texts.SKIPPED) : texts[outcome.status];
  return html`<li>
    <div class="item-head">
      <h3>${texts.name}</h3>
      <span class="state ${STATE_CLASS[outcome.status]}">${LAYER_TEXTS.status[outcome.status]}</span>
    </div>
    <p>${sentence}</p>
    ${outcome.status === 'FAIL' && html`<p class="muted"><code>${outcome.code}</code> ${outcome.detail}</p>`}
  </li>`;
}

function facts(row: RecordRow, certificate: JsonObject, { signed, status }: Evaluation): Html {
  // Statements of a changed certificate are not shown as its content.
  const [review, outcome] = status === 'FAILED' ? [null, null] : [reviewOf(certificate), outcomeOf(certificate)];
  const rows: readonly (readonly [string, Html | string])[] = [
    ['Certificate hash', html`<code>${row.certificateHash}</code>`],
    ['Execution', row.executionId ?? '–'],
    ['Application', row.appId ?? '–'],
    ['Provider', row.provider ?? '–'],
    ['Model', row.model ?? '–'],
    ...(outcome === null ? [] : [['Outcome', outcome] as const]),
    ...(review === null
      ? []
      : [['Human review', html`${review.decision}: ${review.subject} <code>${review.reviewed}</code>`] as const]),
    ['Bundle type', row.bundleType],
    ['Protocol', row.protocolVersion ?? '–'],
    ['First attested', moment(row.firstAttestedAt)],
    ['External timestamp', moment(row.timestampedAt, 'none')],
    ['Node and key', signed === null ? 'not signed' : html`${signed.nodeId}, <code>${signed.kid}</code>`],
    ['Public', row.status === 'visible' ? 'yes' : 'no, hidden'],
  ];
  return html`<dl>
    ${rows.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${typeof value === 'string' ? visible(value) : value}</dd>
        </div>`,
    )}
  </dl>`;
}

/** How the certified call ended, as its producer states in a signal; null where none does. */
function outcomeOf(certificate: JsonObject): string | null {
  const context = member(certificate, 'context');
  const signals = isJsonObject(context) ? member(context, 'signals') : undefined;
  const payloads = isJsonArray(signals) ? signals.map(payloadOf) : [];
  const outcome = payloads.map((payload) => member(payload, 'outcome')).find((stated) => typeof stated === 'string');
  return outcome === undefined ? null : outcome.slice(0, MAX_OUTCOME_LENGTH);
}

function payloadOf(signal: JsonValue): JsonObject {
  const payload = isJsonObject(signal) ? member(signal, 'payload') : undefined;
  return isJsonObject(payload) ? payload : {};
}
