import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import type { Route } from '@cer/http-service';

/** A file that pages refer to. */
export interface Asset {
  /** Holds a digest of the content, so that browsers may cache it without asking again. */
  readonly path: string;
  readonly route: Route;
}

const CONTENT_TYPES: ReadonlyMap<string, string> = new Map([
  ['.css', 'text/css; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
]);

/**
 * An asset from its content.
 * @param name file name, `.css`, `.js` or `.svg`; the last part of the path
 * @throws Error for another extension
 */
export function asset(name: string, body: Uint8Array): Asset {
  const contentType = CONTENT_TYPES.get(extname(name));
  if (contentType === undefined) throw new Error(`${name}: assets are .css, .js or .svg`);
  const path = `/assets/${createHash('sha256').update(body).digest('hex').slice(0, 16)}/${name}`;
  const headers = { 'content-type': contentType, 'cache-control': 'public, max-age=31536000, immutable' };
  return { path, route: { method: 'GET', path, handler: async () => ({ status: 200, headers, body }) } };
}

/**
 * One sheet of design tokens, base styles and a service's styles, in this order.
 * @param file of the service's styles
 */
export function stylesheet(name: string, file: string | URL): Asset {
  return asset(name, Buffer.concat([shared('tokens.css'), shared('base.css'), readFileSync(file)]));
}

/** The icon of every page. */
export const ICON: Asset = asset('icon.svg', shared('icon.svg'));

function shared(name: string): Buffer {
  return readFileSync(new URL(`../assets/${name}`, import.meta.url));
}
