import { elementsOf, isJsonObject, member, parseJson, type JsonValue } from '@cer/canonical-json';
import { isSha256Hash } from '@cer/cer-core';
import { ok, pathParam, readinessHandler, redirect, type Route, type ServiceResponse } from '@cer/http-service';
import type { NodeClient } from '../record/node-client.js';
import { ExecutionPage } from '../view/execution-page.js';
import { HomePage } from '../view/home-page.js';
import { HowPage } from '../view/how-page.js';
import { TEXTS } from '../view/texts.js';
import { lookupTarget } from './lookup-target.js';
import { entityTag, page, pageProtection, unlessUnchanged, type PageSettings } from './page-response.js';

export interface PlainRouteDeps {
  readonly settings: PageSettings;
  readonly node: NodeClient;
}

const NAME = TEXTS.site.name;

/** They fetch the page of a link that somebody posts, for its Open Graph tags, and put nothing into an index. */
const PREVIEW_AGENTS = ['Twitterbot', 'LinkedInBot', 'facebookexternalhit', 'Slackbot', 'Discordbot', 'TelegramBot'];

const ROBOTS = `User-agent: *
Disallow: /c/
Disallow: /p/
Disallow: /e/
Disallow: /lookup

${PREVIEW_AGENTS.map((agent) => `User-agent: ${agent}\n`).join('')}Disallow: /e/
Disallow: /lookup
`;

/** Start page, explanation, look-up, execution ids. */
export function plainRoutes({ settings, node }: PlainRouteDeps): Route[] {
  return [
    {
      method: 'GET',
      path: '/',
      handler: async (request) =>
        unlessUnchanged(request, entityTag(settings.buildId, 'home'), 'Accept', pageProtection(settings), () =>
          page(settings, 200, {
            title: `${NAME}: ${TEXTS.site.tagline}`,
            description: TEXTS.lookup.lead,
            path: '/',
            current: 'home',
            indexable: true,
            children: <HomePage />,
          }),
        ),
    },
    {
      method: 'GET',
      path: '/lookup',
      handler: async ({ query }) => {
        const target = await lookupTarget(query.get('q') ?? '', node);
        return redirect(target ?? '/', 303, { 'cache-control': 'no-store' });
      },
    },
    {
      method: 'GET',
      path: '/how-it-works',
      handler: async (request) =>
        unlessUnchanged(request, entityTag(settings.buildId, 'how'), 'Accept', pageProtection(settings), () =>
          page(settings, 200, {
            title: `${TEXTS.how.title} – ${NAME}`,
            description: TEXTS.how.paragraphs[0].text,
            path: '/how-it-works',
            current: 'how',
            indexable: true,
            children: <HowPage />,
          }),
        ),
    },
    {
      method: 'GET',
      path: '/e/:executionId',
      handler: async (request) => executionPage(settings, node, pathParam(request, 'executionId')),
    },
    { method: 'GET', path: '/health', handler: async () => ok({ status: 'ok' }) },
    {
      method: 'GET',
      path: '/ready',
      handler: readinessHandler([['node: is not available', () => assertAnswers(node)]]),
    },
    {
      method: 'GET',
      path: '/robots.txt',
      handler: async () => ({
        status: 200,
        headers: { 'content-type': 'text/plain; charset=utf-8' },
        body: ROBOTS,
      }),
    },
  ];
}

/** A locator: it lists certificates and says nothing about them. */
async function executionPage(settings: PageSettings, node: NodeClient, executionId: string): Promise<ServiceResponse> {
  const { kind, hashes } = await node.execution(executionId, (answer) => ({
    kind: answer.kind,
    hashes: answer.kind === 'found' ? hashesIn(answer.bytes) : [],
  }));
  const status = kind === 'found' ? 200 : kind === 'not-found' ? 404 : 503;
  return page(
    settings,
    status,
    {
      title: `${TEXTS.execution.title} – ${NAME}`,
      description: TEXTS.execution.lead,
      path: `/e/${encodeURIComponent(executionId)}`,
      children: <ExecutionPage executionId={executionId} hashes={hashes} isAvailable={kind !== 'unavailable'} />,
    },
    { vary: 'Accept' },
  );
}

function hashesIn(text: Uint8Array): string[] {
  let record: JsonValue;
  try {
    record = parseJson(text);
  } catch {
    return [];
  }
  if (!isJsonObject(record)) return [];
  const others = member(record, 'otherMatches');
  return [member(record, 'certificateHash'), ...elementsOf(others)].filter(isSha256Hash);
}

async function assertAnswers(node: NodeClient): Promise<void> {
  const { answer } = await node.keySet();
  if (answer.kind !== 'found') throw new Error('the node does not answer');
}
