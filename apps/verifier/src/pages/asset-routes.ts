import { setImmediate } from 'node:timers/promises';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { RequestHead, Route, ServiceResponse } from '@cer/http-service';
import { oneAtATime, pathParam } from '@cer/http-service';
import { isSha256Hash } from '@cer/cer-core';
import { decodeAnswer } from '../record/decode-answer.js';
import type { NodeClient } from '../record/node-client.js';
import type { CheckRecord, RecordKind } from '../record/record-check.js';
import { scriptSafeJson } from '../view/document.js';
import { TEXTS } from '../view/texts.js';
import type { SavedRecord } from '../check/saved-record.js';
import { messagePage } from './message-page.js';
import { redrawRoute } from './redraw-route.js';
import { entityTag, unlessUnchanged, type PageSettings } from './page-response.js';
import type { WebBuild } from './web-build.js';

export interface AssetRouteDeps {
  readonly build: WebBuild;
  readonly settings: PageSettings;
  readonly checkRecord: CheckRecord;
  readonly node: NodeClient;
}

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
};

interface Encoded {
  readonly plain: Uint8Array;
  readonly gzip: Uint8Array;
  readonly brotli: Uint8Array;
}

/** The build's files, named by their content and therefore cached indefinitely, and the offline verifier. */
export function assetRoutes({ build, settings, checkRecord, node }: AssetRouteDeps): Route[] {
  const files = new Map([...build.files].map(([name, bytes]) => [name, encoded(bytes)]));
  const offline = encoded(new TextEncoder().encode(build.offlineHtml));
  const offlineTag = entityTag('offline', build.offlineHtml);
  const inTurn = oneAtATime();
  const saved = (kind: RecordKind, path: string): Route => ({
    method: 'GET',
    path,
    handler: async (request) => {
      const hash = pathParam(request, 'hash');
      // Before the record, which may be large: it is not in memory while the node is asked for the history.
      const history = await node.keyHistory();
      const checked = isSha256Hash(hash) ? await checkRecord(kind, hash) : null;
      if (checked?.record == null || checked.keySet === null) {
        const isAway = checked?.outcome.headline === 'unavailable';
        return isAway
          ? messagePage(settings, null, 503, TEXTS.headlines.unavailable)
          : messagePage(settings, null, 404, TEXTS.headlines.notFound);
      }
      const { record, keySet } = checked;
      const keyHistory = history.kind === 'found' ? history.text : null;
      const name = `${kind}-${hash.slice('sha256:'.length, 'sha256:'.length + 12)}.html`;
      return {
        status: 200,
        headers: { ...OFFLINE_HEADERS, 'content-disposition': `attachment; filename="${name}"` },
        body: await inTurn(async () => {
          // The previous file is being sent by then, and counts among the large answers.
          await setImmediate();
          return withSavedRecord(build.offlineHtml, { hash, record: decodeAnswer(record), keySet, keyHistory });
        }),
      };
    },
  });
  return [
    {
      method: 'GET',
      path: '/assets/:name',
      handler: async (request) => {
        const name = pathParam(request, 'name');
        const file = files.get(name);
        if (file === undefined) return messagePage(settings, request, 404, TEXTS.missing);
        const type = TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
        return compressed(request, file, {
          'content-type': type,
          'cache-control': 'public, max-age=31536000, immutable',
          // The policy of a worker is that of its response: it connects to no host.
          'content-security-policy': "default-src 'none'; script-src 'self'",
        });
      },
    },
    {
      method: 'GET',
      path: '/offline.html',
      handler: async (request) =>
        unlessUnchanged(request, offlineTag, 'Accept-Encoding', OFFLINE_PROTECTION, () =>
          compressed(request, offline, OFFLINE_HEADERS),
        ),
    },
    redrawRoute(build.redrawHtml),
    saved('certificate', '/c/:hash/offline.html'),
    saved('project', '/p/:hash/offline.html'),
  ];
}

/** The file brings its own policy in a meta element, as it must from a disk; the header only forbids framing. */
const OFFLINE_PROTECTION = { 'content-security-policy': "frame-ancestors 'none'" };
const OFFLINE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-cache',
  ...OFFLINE_PROTECTION,
};

const SCRIPT_START = '<script id="verifier">';

/** Adds a data block before the script that reads it; the script and its hash stay as built. */
function withSavedRecord(html: string, saved: SavedRecord): string {
  const block = `<script type="application/json" id="saved-record">${scriptSafeJson(saved)}</script>`;
  return html.replace(SCRIPT_START, () => `${block}${SCRIPT_START}`);
}

function encoded(plain: Uint8Array): Encoded {
  return {
    plain,
    gzip: gzipSync(plain, { level: 9 }),
    brotli: brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  };
}

function compressed(head: RequestHead, file: Encoded, headers: Readonly<Record<string, string>>): ServiceResponse {
  const accepted = head.headers['accept-encoding'] ?? '';
  const coding = /\bbr\b/.test(accepted) ? 'br' : /\bgzip\b/.test(accepted) ? 'gzip' : null;
  return {
    status: 200,
    headers: { ...headers, vary: 'Accept-Encoding', ...(coding !== null && { 'content-encoding': coding }) },
    body: coding === 'br' ? file.brotli : coding === 'gzip' ? file.gzip : file.plain,
  };
}
