import { readFileSync } from 'node:fs';

/**
 * The version of a service.
 * @param manifest its package.json
 * @throws Error without one
 */
export function packageVersion(manifest: URL): string {
  const read: unknown = JSON.parse(readFileSync(manifest, 'utf8'));
  const version = typeof read === 'object' && read !== null && 'version' in read ? read.version : null;
  if (typeof version !== 'string') throw new Error('package.json has no version');
  return version;
}
