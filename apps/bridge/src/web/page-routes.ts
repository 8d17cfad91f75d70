import { redirect, unavailable, type Handler, type RequestHead } from '@cer/http-service';
import type { Logger } from '@cer/http-service/process';
import { html, type Html } from '@cer/pages';
import type { NodeKeys } from '../attestation-node/node-keys.js';
import type { LiveSession, Sessions } from '../browser-sessions/sessions.js';
import { page, type DescribedRoute } from '../openapi/route-description.js';
import type { IngestStore } from '../store/index.js';
import type { Assets } from './assets.js';
import { pageResponse, type PageContent } from './document.js';
import { liveEvents, viewerOf } from './live-events.js';
import { liveRegion } from './live-region.js';
import { openStreams } from './open-streams.js';
import { refusalPage } from './refusal-pages.js';
import { sendPage } from './send-page.js';

export interface PageRouteDeps {
  readonly sessions: Sessions;
  readonly ingests: IngestStore;
  readonly nodeKeys: NodeKeys;
  readonly assets: Assets;
  readonly publicUrl: string;
  readonly dashboardUrl: string;
  /** Aborts when this instance stops: streams would keep it from doing so. */
  readonly stopping: AbortSignal;
  readonly logger: Logger;
}

const SHOWN = 50;
/** Fewer, so that certified executions stay in view. */
const SHOWN_REFUSED = 20;

/** The pages. @see docs/spec.md, "Evidence bridge: human path" */
export function pageRoutes(deps: PageRouteDeps): readonly DescribedRoute[] {
  const { sessions, ingests, assets, publicUrl, dashboardUrl, stopping, logger } = deps;
  const streams = openStreams();

  const show = async ({ tenantId }: LiveSession): Promise<Html> => {
    const [throughput, certified, refused] = await Promise.all([
      ingests.throughput(tenantId),
      ingests.newest(tenantId, SHOWN, 'certified'),
      ingests.newest(tenantId, SHOWN_REFUSED, 'refused'),
    ]);
    return liveRegion({ throughput, certified, refused });
  };
  const frameOf = ({ path }: RequestHead) => ({ assets: assets.paths, publicUrl, dashboardUrl, path, session: null });
  const shown = (
    body: (session: LiveSession) => Promise<PageContent>,
    without?: () => PageContent,
  ): Pick<DescribedRoute, 'within'> & { readonly handler: Handler } => ({
    within: async (head, work) => {
      try {
        return await work();
      } catch (error) {
        return pageResponse(refusalPage(error, head.requestId, logger), frameOf(head));
      }
    },
    handler: async (request) => {
      const session = await sessions.of(request);
      if (session !== null) return pageResponse(await body(session), { ...frameOf(request), session });
      return without === undefined ? redirect('/', 303) : pageResponse(without(), frameOf(request));
    },
  });

  return [
    {
      method: 'GET',
      path: '/',
      description: page('The newest executions, or an invitation'),
      ...shown(
        async (session) => ({
          title: 'Live evidence',
          body: html`${await connection(deps)}
            <p id="live-state" class="muted" role="status">Updates need scripts; without them, reload the page.</p>
            <div id="live" class="page" data-viewer="${viewerOf(session)}">${await show(session)}</div>`,
        }),
        () => ({ title: 'Not connected', body: invitation(dashboardUrl) }),
      ),
    },
    {
      method: 'GET',
      path: '/send',
      description: page('How to send data', { 303: { description: 'Without a session: to /.', mediaTypes: [] } }),
      ...shown(async () => ({ title: 'Send data', body: sendPage({ publicUrl, dashboardUrl }) })),
    },
    {
      method: 'GET',
      path: '/events',
      description: {
        group: 'Pages',
        summary: 'New executions, as server-sent events',
        access: 'session',
        success: {
          200: { description: 'A stream without an end.', mediaTypes: ['text/event-stream'] },
          204: { description: 'There is no session.', mediaTypes: [] },
        },
      },
      handler: async (request) => {
        const session = await sessions.of(request);
        // 204 keeps the browser from reconnecting.
        if (session === null) return { status: 204, headers: {}, body: null };
        const viewer = { tenantId: session.tenantId, userId: session.user.id };
        if (!streams.hasRoomFor(viewer)) throw unavailable('Too many live pages at once: retry');
        const signal = AbortSignal.any([request.signal, stopping]);
        const events = liveEvents({ sessions, show }, session, signal);
        return { status: 200, headers: { 'content-type': 'text/event-stream' }, body: streams.counted(viewer, events) };
      },
    },
  ];
}

function invitation(dashboardUrl: string): Html {
  return html`<p>
      Every model call your software reports becomes a certificate that anyone can verify. To see what arrives, sign in
      at the dashboard and choose Integrations, then Connect.
    </p>
    <p class="acts"><a class="button" href="${dashboardUrl}/integrations">Go to the dashboard</a></p>`;
}

async function connection({ nodeKeys, publicUrl }: PageRouteDeps): Promise<Html> {
  const nodeId = await nodeKeys.keySetWith(null).then(
    (keySet) => keySet.nodeId,
    () => null,
  );
  return html`<section class="card" aria-labelledby="connection">
    <div class="item-head">
      <h2 id="connection">Connection</h2>
      ${nodeId === null ? html`<span class="state bad">node not reachable</span>` : html`<span class="state good">connected</span>`}
    </div>
    <dl>
      <div>
        <dt>Address for your data</dt>
        <dd><code>${publicUrl}</code></dd>
      </div>
      <div>
        <dt>Attestation node</dt>
        <dd>${nodeId ?? 'does not answer'}</dd>
      </div>
    </dl>
    ${nodeId === null && html`<p>Requests are answered with 503 now, and are safe to send again.</p>`}
  </section>`;
}
