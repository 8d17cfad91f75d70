import { html, visible, type Html } from '@cer/pages';
import type { Ingest, Throughput } from '../store/index.js';

export interface LiveEvidence {
  readonly throughput: Throughput;
  readonly certified: readonly Ingest[];
  readonly refused: readonly Ingest[];
}

/** The executionId of a sealed trace; the ids of its calls continue with the span's id. */
const SEALED_TRACE = /^otel:[0-9a-f]{32}$/;

const SOURCES = { executions: 'API', otlp: 'OpenTelemetry' } as const;

/** The part of the page that updates itself; the server sends it again when it differs. */
export function liveRegion({ throughput, certified, refused }: LiveEvidence): Html {
  return html`<section aria-labelledby="throughput">
      <h2 id="throughput">Throughput</h2>
      <ul class="tiles">
        ${tile('Certified, last minute', throughput.certifiedLastMinute)}
        ${tile('Certified, last hour', throughput.certifiedLastHour)}
        ${tile('Refused, last hour', throughput.refusedLastHour)}
      </ul>
    </section>
    ${refused.length > 0 && list('refused', 'Refused', refused, refusedItem)}
    ${
      certified.length === 0
        ? html`<section class="card" aria-labelledby="recent">
            <h2 id="recent">Certified</h2>
            <p class="muted">Nothing has come in yet. <a href="/send">Send data</a> and it appears here.</p>
          </section>`
        : list('recent', 'Certified', certified, certifiedItem)
    }`;
}

function tile(label: string, count: number): Html {
  return html`<li class="card tile">
    <strong>${count.toLocaleString('en')}</strong><span class="muted">${label}</span>
  </li>`;
}

function list(id: string, title: string, ingests: readonly Ingest[], item: (ingest: Ingest) => Html): Html {
  return html`<section aria-labelledby="${id}">
    <h2 id="${id}">${title}</h2>
    <ol class="card log" reversed>
      ${ingests.map((ingest) => html`<li class="evidence">${item(ingest)}</li>`)}
    </ol>
  </section>`;
}

function certifiedItem(ingest: Ingest): Html {
  const { certificateHash, verificationUrl } = ingest;
  const isTrace = SEALED_TRACE.test(ingest.executionId ?? '');
  const hash = html`<code>${certificateHash}</code>`;
  return html`${headline(ingest)}<span class="state good">${isTrace ? 'sealed project' : 'certified'}</span>
    <p class="hash">${isWebAddress(verificationUrl) ? html`<a href="${verificationUrl}">${hash}</a>` : hash}</p>
    ${execution(ingest)}`;
}

function refusedItem(ingest: Ingest): Html {
  const { status, reason, certificateHash, submittedHash } = ingest;
  const isPassing = status >= 500 || status === 429;
  return html`${headline(ingest)}<span class="state ${isPassing ? 'warn' : 'bad'}"
      >${status}${isPassing && ', send again'}</span
    >
    <p>${reason !== null && visible(reason)}</p>
    ${certificateHash !== null && html`<p class="hash">certified as <code>${certificateHash}</code></p>`}
    ${submittedHash !== null && html`<p class="hash">was sent <code>${submittedHash}</code></p>`} ${execution(ingest)}`;
}

function headline({ at, source, model, provider }: Ingest): Html {
  const what = [provider, model].filter((text) => text !== null).join(' ');
  return html`<p>
    <strong>${what === '' ? 'Execution' : visible(what)}</strong>
    <span class="muted">${SOURCES[source]}</span>
    <time class="muted" datetime="${at}">${at.slice(0, 10)} ${at.slice(11, 19)} UTC</time>
  </p>`;
}

function execution({ executionId }: Ingest): Html | false {
  return executionId !== null && html`<p class="muted hash">execution ${visible(executionId)}</p>`;
}

/** A URL from the node becomes a link only when it is http or https. */
function isWebAddress(url: string | null): url is string {
  return url !== null && /^https?:\/\//.test(url) && URL.canParse(url);
}
