import { html, type Html } from '@cer/pages';

export interface SendPage {
  readonly publicUrl: string;
  readonly dashboardUrl: string;
}

/** How to send data, with this bridge's own addresses. */
export function sendPage({ publicUrl, dashboardUrl }: SendPage): Html {
  return html`<p class="lead">
      Everything is sent under an <a href="${dashboardUrl}/keys">API key</a> of your account that may ingest and
      certify. The bridge forwards it with each request and keeps it nowhere.
    </p>
    <section class="card" aria-labelledby="otel">
      <h2 id="otel">From OpenTelemetry</h2>
      <p>Point the exporter of any instrumented application here; nothing else changes.</p>
      ${snippet(
        'otel-snippet',
        'Exporter settings',
        `export OTEL_EXPORTER_OTLP_ENDPOINT=${publicUrl}
export OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf
export OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer%20$CER_API_KEY"`,
      )}
      <p>To seal content with commitments, and whole traces as projects:</p>
      ${snippet(
        'otel-options-snippet',
        'Exporter settings with options',
        `export OTEL_EXPORTER_OTLP_TRACES_ENDPOINT="${publicUrl}/v1/traces?protocol=1.3.1&project=trace"`,
      )}
      <p class="muted">
        Spans without recorded content are refused; <code>?content=optional</code> certifies them all the same.
      </p>
    </section>
    <section class="card" aria-labelledby="http">
      <h2 id="http">From your own code</h2>
      <p>One execution, or up to 500 as <code>{"executions": [...]}</code>:</p>
      ${snippet(
        'curl-snippet',
        'One execution',
        `curl ${publicUrl}/api/v1/ingest/executions \\
  -H "Authorization: Bearer $CER_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"executionId":"order-1","provider":"openai","model":"gpt-4o","input":"Hello","output":"Hi"}'`,
      )}
      <p>Any number, one line each, answered line by line:</p>
      ${snippet(
        'ndjson-snippet',
        'A stream of executions',
        `curl ${publicUrl}/api/v1/ingest/executions \\
  -H "Authorization: Bearer $CER_API_KEY" \\
  -H "Content-Type: application/x-ndjson" \\
  -T executions.ndjson -X POST`,
      )}
      <p class="muted">
        Sending the same <code>executionId</code> again with the same content gives the same certificate, so everything
        may be repeated.
      </p>
    </section>`;
}

function snippet(id: string, label: string, text: string): Html {
  return html`<div class="snippet">
    <pre tabindex="0" aria-label="${label}"><code id="${id}">${text}</code></pre>
    <p class="acts">
      <button class="quiet" type="button" data-copy="${id}" aria-label="Copy: ${label}">Copy</button>
      <span class="muted" role="status"></span>
    </p>
  </div>`;
}
