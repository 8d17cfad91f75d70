import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Tests that kill a witness run it as a separate program. */
export default function setup() {
  const root = join(import.meta.dirname, '../../..');
  execFileSync(process.execPath, [join(root, 'node_modules/typescript-7/bin/tsc'), '-b', 'apps/witness'], {
    cwd: root,
  });
}
