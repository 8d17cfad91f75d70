import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Route } from '@cer/http-service';

interface Asset {
  /** Holds the content's digest, so that it may be kept for ever. */
  readonly path: string;
  readonly route: Route;
}

export const STYLESHEET = asset('dashboard.css', 'text/css; charset=utf-8');
export const ICON = asset('icon.svg', 'image/svg+xml');

/** The two files that pages refer to. */
export const ASSET_ROUTES: readonly Route[] = [STYLESHEET.route, ICON.route];

function asset(name: string, contentType: string): Asset {
  const body = readFileSync(new URL(`../../assets/${name}`, import.meta.url));
  const digest = createHash('sha256').update(body).digest('hex').slice(0, 16);
  const path = `/assets/${digest}/${name}`;
  const headers = { 'content-type': contentType, 'cache-control': 'public, max-age=31536000, immutable' };
  return { path, route: { method: 'GET', path, handler: async () => ({ status: 200, headers, body }) } };
}
