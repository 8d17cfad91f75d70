import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { usePostgresServer } from '../../../scripts/test/shared-postgres-server.mjs';

const root = join(import.meta.dirname, '..', '..', '..');

/** The tests use the built node, the built dashboard and a bridge in a separate process. */
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
