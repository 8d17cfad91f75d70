import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { usePostgresServer } from '../../../scripts/test/shared-postgres-server.mjs';

const root = join(import.meta.dirname, '..', '..', '..');

/** Tests start this package in separate processes, which run its build. */
export default async function setUp() {
  const compiler = join(root, 'node_modules/typescript-7/bin/tsc');
  execFileSync(process.execPath, [compiler, '-b', 'packages/sql-store'], { cwd: root, stdio: 'inherit' });
  await usePostgresServer();
}
