// Some tests run the built command as a user would; this brings the build up to date before them.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

export default function buildCli() {
  const root = join(import.meta.dirname, '..', '..', '..');
  execFileSync(process.execPath, [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-b', 'apps/cli'], {
    cwd: root,
    stdio: 'inherit',
  });
}
