import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Since Node 24.19 the header of `node::ObjectWrap` registers a hook for every object. Removing one outside of a context, as
 * the garbage collector may, ends the process (nodejs/node#65446). better-sqlite3 12 wraps each statement so; 13 does not
 * run on Node 20. It is compiled with that header as it was before.
 * @param {string} headers a folder with include/node
 * @param {string} folder for the changed header
 * @returns {string | undefined} compiler flags for C++, where they are needed
 */
export function objectWrapFlags(headers, folder) {
  const path = join(headers, 'include', 'node', 'node_object_wrap.h');
  const header = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const withoutHooks = header.replaceAll(/^\s*(Add|Remove)CleanupHook\(\);\n/gm, '');
  if (withoutHooks === header) return undefined;
  mkdirSync(folder, { recursive: true });
  const changed = join(folder, 'node_object_wrap.h');
  writeFileSync(changed, withoutHooks);
  // Included first: its guard keeps the original out.
  return `-include "${changed}"`;
}
