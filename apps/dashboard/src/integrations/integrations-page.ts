import { html, type Html } from '@cer/pages';
import type { Tenant } from '../store/index.js';
import { formTokenField } from '../web/fields.js';
import type { PageAnswer } from '../web/page-answer.js';

export interface IntegrationsPage {
  readonly formToken: string;
  readonly tenant: Tenant;
  /** Whether the reader may open the bridge. */
  readonly mayConnect: boolean;
  readonly bridgeUrl: string | undefined;
  readonly nodeUrl: string | undefined;
}

/** The services that the account can be used from, with an example request. */
export function integrationsPage({ formToken, tenant, mayConnect, bridgeUrl, nodeUrl }: IntegrationsPage): PageAnswer {
  return {
    title: 'Integrations',
    body: html`<section class="card" aria-labelledby="bridge">
        <div class="item-head">
          <h2 id="bridge">Evidence bridge</h2>
          ${tenant.plan.bridge ? html`<span class="state good">included</span>` : html`<span class="state">not in your plan</span>`}
        </div>
        <p>Every model call your software reports becomes a certificate. See what arrives, live.</p>
        ${bridge(formToken, tenant, mayConnect, bridgeUrl)}
      </section>
      ${
        nodeUrl !== undefined &&
        html`<section class="card" aria-labelledby="node">
          <h2 id="node">Attestation node</h2>
          <p>Certify from your own code with an <a href="/keys">API key</a>:</p>
          <pre tabindex="0" aria-label="Example request"><code>curl ${nodeUrl}/v1/cer/ai/certify \\
  -H "Authorization: Bearer $CER_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"provider":"openai","model":"gpt-4o","input":"Hello","output":"Hi"}'</code></pre>
        </section>`
      }`,
  };
}

function bridge(formToken: string, { plan, status }: Tenant, mayConnect: boolean, bridgeUrl: string | undefined): Html {
  if (bridgeUrl === undefined) return html`<p class="muted">No bridge is configured for this dashboard.</p>`;
  if (!plan.bridge) return html`<p class="muted">Ask the operator of this service for a plan that includes it.</p>`;
  return html`<form method="post" action="/integrations/connect" class="acts">
      ${formTokenField(formToken)}
      <button ${(status === 'suspended' || !mayConnect) && html`disabled`}>Connect</button>
      <span class="muted">opens ${new URL(bridgeUrl).host}</span>
    </form>
    <h3>From OpenTelemetry</h3>
    <p>Point any exporter at the bridge, with an <a href="/keys">API key</a> that may certify and ingest:</p>
    <pre tabindex="0" aria-label="Exporter settings"><code>export OTEL_EXPORTER_OTLP_ENDPOINT=${bridgeUrl}
export OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf
export OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer%20$CER_API_KEY"</code></pre>`;
}
