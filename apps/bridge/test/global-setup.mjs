import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { usePostgresServer } from '../../../scripts/test/shared-postgres-server.mjs';

const root = join(import.meta.dirname, '..', '..', '..');

/** The tests talk to the real node, the real dashboard and a bridge of its own process, which run as they are built. */
export default async function setUp() {
  const missing = ['apps/node', 'apps/dashboard', 'apps/bridge'].filter(
    (app) => !existsSync(join(root, app, 'dist', 'main.js')),
  );
  if (missing.length > 0) {
    execFileSync(process.execPath, [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-b', ...missing], {
      cwd: root,
      stdio: 'inherit',
    });
  }
  await usePostgresServer();
}
