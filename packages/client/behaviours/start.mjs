// Installs the packages that are compared, on first use, and runs the comparison under Node.js 22.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const cwd = import.meta.dirname;
const run = (program, args, options = {}) => execFileSync(program, args, { cwd, stdio: 'inherit', ...options });
const node22 = join(cwd, 'node_modules/node/bin/node');

if (!existsSync(join(cwd, 'node_modules/openai'))) {
  run('npm', ['install', '--no-package-lock', '--no-audit', '--no-fund', '--ignore-scripts']);
}
if (!existsSync(node22)) {
  run(process.execPath, ['installArchSpecificPackage.js'], { cwd: join(cwd, 'node_modules/node') });
}
run(node22, ['run.mjs']);
