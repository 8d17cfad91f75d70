// The tests run what users run: the built node, command line and browser files. This brings them up to date.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

export default function prepare() {
  const root = join(import.meta.dirname, '..', '..', '..');
  const run = (...args) => execFileSync(process.execPath, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  run(join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-b', 'apps/node', 'apps/cli', 'apps/verifier');
  run(join(root, 'apps', 'verifier', 'build', 'build.mjs'));
}
