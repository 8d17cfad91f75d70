import { isSha256Hash, type Sha256Hash } from '@cer/cer-core';
import {
  json,
  pathParam,
  ServiceError,
  type Route,
  type ServiceRequest,
  type ServiceResponse,
} from '@cer/http-service';
import { renderToString } from 'preact-render-to-string';
import type { CheckRecord, RecordKind } from '../record/record-check.js';
import { EMBED_SIZE, embedCode, verdictTitle } from '../view/embed-code.js';
import { EmbedDocument } from '../view/embed-document.js';
import { TEXTS } from '../view/texts.js';
import { FRAME_HEADERS, frameMessage } from './frame-response.js';
import { entityTag, prefersPage, unlessUnchanged, type PageSettings } from './page-response.js';
import { RETRY, STATUS_OF_HEADLINE } from './record-routes.js';

export interface EmbedRouteDeps {
  readonly settings: PageSettings;
  readonly checkRecord: CheckRecord;
}

const RECORD_IN_ADDRESS = /^\/(c|p)\/([^/]+)$/;

/** The verdict in a frame of another site, and the description by which sites find it (oEmbed 1.0). */
export function embedRoutes(deps: EmbedRouteDeps): Route[] {
  return [
    { method: 'GET', path: '/embed/c/:hash', handler: async (request) => embed(deps, 'certificate', request) },
    { method: 'GET', path: '/embed/p/:hash', handler: async (request) => embed(deps, 'project', request) },
    { method: 'GET', path: '/oembed', handler: async ({ query }) => describe(deps, query) },
  ];
}

async function embed(
  { settings, checkRecord }: EmbedRouteDeps,
  kind: RecordKind,
  request: ServiceRequest,
): Promise<ServiceResponse> {
  const hash = pathParam(request, 'hash');
  if (!isSha256Hash(hash)) return noHash(settings, request);
  const { outcome, version } = await checkRecord(kind, hash);
  const status = STATUS_OF_HEADLINE[outcome.headline] ?? 200;
  const { assets, publicUrl } = settings;
  const make = (): ServiceResponse => ({
    status,
    headers: FRAME_HEADERS,
    body: `<!doctype html>${renderToString(<EmbedDocument {...{ kind, hash, publicUrl, outcome, assets }} />)}`,
  });
  if (status === 503) return { ...make(), headers: { ...FRAME_HEADERS, ...RETRY, 'cache-control': 'no-store' } };
  return unlessUnchanged(
    request,
    entityTag(settings.buildId, 'embed', kind, hash, version),
    'Accept',
    FRAME_HEADERS,
    make,
  );
}

/** A message for people, the standard error body for programs. */
function noHash(settings: PageSettings, request: ServiceRequest): ServiceResponse {
  const lead = TEXTS.lookup.badHash;
  if (!prefersPage(request)) throw new ServiceError({ code: 'NOT_FOUND', message: lead });
  return frameMessage(settings, 404, { title: TEXTS.malformed, lead }, { vary: 'Accept' });
}

/** @see https://oembed.com, sections 2.2 and 2.3 */
async function describe({ settings, checkRecord }: EmbedRouteDeps, query: URLSearchParams): Promise<ServiceResponse> {
  const { publicUrl } = settings;
  if ((query.get('format') ?? 'json') !== 'json')
    return json(501, { error: 'NOT_IMPLEMENTED', message: 'format: must be json' });
  const record = recordIn(query.get('url'), publicUrl);
  const { outcome } = await checkRecord(record.kind, record.hash);
  const status = STATUS_OF_HEADLINE[outcome.headline] ?? 200;
  if (status === 404) throw new ServiceError({ code: 'NOT_FOUND' });
  if (status !== 200) throw new ServiceError({ code: 'SERVICE_UNAVAILABLE', headers: RETRY });
  const size = {
    width: Math.min(EMBED_SIZE.width, maximum(query, 'maxwidth')),
    height: Math.min(EMBED_SIZE.height, maximum(query, 'maxheight')),
  };
  return json(200, {
    version: '1.0',
    type: 'rich',
    title: verdictTitle(outcome, record.hash),
    provider_name: TEXTS.site.name,
    provider_url: publicUrl,
    ...size,
    html: embedCode({ ...record, publicUrl }, size),
  });
}

/** The record whose page has this address. @throws ServiceError for the address of anything else */
function recordIn(address: string | null, publicUrl: string): { readonly kind: RecordKind; readonly hash: Sha256Hash } {
  if (address === null) throw new ServiceError({ code: 'VALIDATION_ERROR', message: 'url: is required' });
  // Both as browsers write them, since users and programs write other cases and ports.
  const site = new URL(publicUrl).href.replace(/\/$/, '');
  const asked = URL.canParse(address) ? new URL(address).href : '';
  const path = asked.startsWith(`${site}/`) ? asked.slice(site.length).replace(/\/?([?#].*)?$/, '') : '';
  const [, letter, segment = ''] = RECORD_IN_ADDRESS.exec(path) ?? [];
  const hash = segment.replace(/%3a/i, ':');
  if (!isSha256Hash(hash))
    throw new ServiceError({ code: 'NOT_FOUND', message: 'url: must be a page of a record of this site' });
  return { kind: letter === 'p' ? 'project' : 'certificate', hash };
}

/** @throws ServiceError for what is no number of pixels */
function maximum(query: URLSearchParams, name: string): number {
  const given = query.get(name);
  if (given === null) return Infinity;
  if (!/^[1-9]\d{0,5}$/.test(given)) {
    throw new ServiceError({ code: 'VALIDATION_ERROR', message: `${name}: must be an integer from 1 to 999999` });
  }
  return Number(given);
}
