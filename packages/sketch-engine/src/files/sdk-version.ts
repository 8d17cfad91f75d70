import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Version of the drawing runtime underneath: its package publishes neither types for this entry nor its `package.json`. */
export async function readSdkVersion(): Promise<string> {
  const folder = dirname(createRequire(import.meta.url).resolve('@nexart/codemode-sdk/core'));
  const manifest = await readFile(join(folder, '..', '..', 'package.json'), 'utf8');
  return (JSON.parse(manifest) as { readonly version: string }).version;
}
