// The tests run what users run: the built node, command line and browser files. This brings them up to date, and finds
// the browser that the browser suites drive.
import { execFileSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';

const PATHS = [
  process.env.CHROMIUM_PATH,
  '/usr/lib/chromium/chromium-headless-shell',
  '/usr/lib/chromium/chromium',
  '/usr/bin/chromium',
];

export default function prepare() {
  const root = join(import.meta.dirname, '..', '..', '..');
  const run = (...args) => execFileSync(process.execPath, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  run(join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-b', 'apps/node', 'apps/cli', 'apps/verifier');
  run(join(root, 'apps', 'verifier', 'build', 'build.mjs'));
  const browser = PATHS.find((path) => path && isExecutable(path));
  process.env.CER_VERIFIER_BROWSER = browser ?? '';
  if (!browser)
    process.stderr.write(
      `not run: the verifier's browser suites: no Chromium at CHROMIUM_PATH or ${PATHS.slice(1).join(', ')}\n`,
    );
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
