import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Route } from '@cer/http-service';

const FILES = {
  stylesheet: ['bridge.css', 'text/css; charset=utf-8'],
  icon: ['icon.svg', 'image/svg+xml'],
  handoffScript: ['handoff.js', 'text/javascript; charset=utf-8'],
  script: ['bridge.js', 'text/javascript; charset=utf-8'],
} as const;

/** The paths of the files that pages refer to; each holds its content's digest, so that it may be kept for ever. */
export type AssetPaths = Readonly<Record<keyof typeof FILES, string>>;

export interface Assets {
  readonly paths: AssetPaths;
  readonly routes: readonly Route[];
}

/** Reads the files once. @param folder where they are */
export function readAssets(folder: string): Assets {
  const asset = (name: keyof typeof FILES): { readonly path: string; readonly route: Route } => {
    const [file, contentType] = FILES[name];
    const body = readFileSync(join(folder, file));
    const path = `/assets/${createHash('sha256').update(body).digest('hex').slice(0, 16)}/${file}`;
    const headers = { 'content-type': contentType, 'cache-control': 'public, max-age=31536000, immutable' };
    return { path, route: { method: 'GET', path, handler: async () => ({ status: 200, headers, body }) } };
  };
  const read = {
    stylesheet: asset('stylesheet'),
    icon: asset('icon'),
    handoffScript: asset('handoffScript'),
    script: asset('script'),
  };
  return {
    paths: {
      stylesheet: read.stylesheet.path,
      icon: read.icon.path,
      handoffScript: read.handoffScript.path,
      script: read.script.path,
    },
    routes: Object.values(read).map(({ route }) => route),
  };
}
