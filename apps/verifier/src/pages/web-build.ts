import { OperatorError } from '@cer/http-service/process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PageAssets } from '../view/document.js';

/** The files that the build made for browsers. */
export interface WebBuild {
  /** By file name; each name holds a hash of its content. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly assets: PageAssets;
  readonly offlineHtml: string;
  /** Draws sketches again; about 14 MB. */
  readonly redrawHtml: Uint8Array;
}

/** @param folder `dist/web` of this app @throws Error saying that the build is missing */
export function loadWebBuild(folder: string): WebBuild {
  try {
    // Not those of the folder: it may have files of an earlier build too.
    const names = JSON.parse(readFileSync(join(folder, 'assets.json'), 'utf8')) as readonly string[];
    return {
      files: new Map(names.map((name) => [name, readFileSync(join(folder, 'assets', name))])),
      assets: {
        script: assetPath(names, /^site-.+\.js$/),
        worker: assetPath(names, /^check-worker-.+\.js$/),
        style: assetPath(names, /^style-.+\.css$/),
        icon: assetPath(names, /^icon-.+\.svg$/),
      },
      offlineHtml: readFileSync(join(folder, 'offline.html'), 'utf8'),
      redrawHtml: readFileSync(join(folder, 'redraw.html')),
    };
  } catch (error) {
    throw new WebBuildMissing('the browser files are missing: run "npm run build -w apps/verifier"', { cause: error });
  }
}

/** For the operator: the message names the command to run. */
export class WebBuildMissing extends OperatorError {
  override readonly name = 'WebBuildMissing';
}

function assetPath(names: readonly string[], pattern: RegExp): string {
  const found = names.find((name) => pattern.test(name));
  if (found === undefined) throw new Error(`no asset ${pattern.source}`);
  return `/assets/${found}`;
}
