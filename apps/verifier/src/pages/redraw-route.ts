import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Route } from '@cer/http-service';

/**
 * The page runs untrusted code: `sandbox` gives it a separate origin, without storage and cookies. Its further policy
 * is in the page itself, as it must be for a file on a disk.
 */
const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-cache',
  'content-security-policy': "sandbox allow-scripts; frame-ancestors 'none'",
  vary: 'Accept-Encoding',
};

/** The page that draws sketches again. It is large: it is compressed when it is first asked for. */
export function redrawRoute(page: Uint8Array): Route {
  let packed: Promise<Uint8Array> | undefined;
  return {
    method: 'GET',
    path: '/redraw.html',
    handler: async ({ headers }) => {
      if (!/\bgzip\b/.test(headers['accept-encoding'] ?? '')) return { status: 200, headers: HEADERS, body: page };
      packed ??= promisify(gzip)(page);
      return { status: 200, headers: { ...HEADERS, 'content-encoding': 'gzip' }, body: await packed };
    },
  };
}
