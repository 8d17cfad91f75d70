import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Route } from '@cer/http-service';
import { asset, ICON, stylesheet, type Asset } from '@cer/pages';

/** The paths of the files that pages refer to. */
export type AssetPaths = Readonly<Record<'stylesheet' | 'handoffScript' | 'script', string>>;

export interface Assets {
  readonly paths: AssetPaths;
  readonly routes: readonly Route[];
}

/** Reads the files once. @param folder where they are located */
export function readAssets(folder: string): Assets {
  const script = (name: string): Asset => asset(name, readFileSync(join(folder, name)));
  const sheet = stylesheet('bridge.css', join(folder, 'bridge.css'));
  const handoffScript = script('handoff.js');
  const pageScript = script('bridge.js');
  return {
    paths: { stylesheet: sheet.path, handoffScript: handoffScript.path, script: pageScript.path },
    routes: [sheet, ICON, handoffScript, pageScript].map(({ route }) => route),
  };
}
