// Stryker, installed below .data when mutation testing first needs it: 66 MB in 168 packages, and the tests of a checkout
// need none of them.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// The last version for Node.js 20.
const VERSION = '9.6.1';

/**
 * @param {{root: string}} options `root` is the folder of the repository
 * @returns {string} the program
 */
export function ensureStryker({ root }) {
  const folder = join(root, '.data', `stryker-${VERSION}`);
  const program = join(folder, 'node_modules', '@stryker-mutator', 'core', 'bin', 'stryker.js');
  if (existsSync(program)) return program;
  console.log(`mutation: installing @stryker-mutator/core ${VERSION} into ${folder}`);
  // Made under another name: an installation that is there is whole.
  const made = `${folder}.${process.pid}`;
  mkdirSync(made, { recursive: true });
  writeFileSync(
    join(made, 'package.json'),
    JSON.stringify({ private: true, dependencies: { '@stryker-mutator/core': VERSION } }),
  );
  const args = ['install', '--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts'];
  const { status } = spawnSync('npm', args, { cwd: made, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status === 0) renameSync(made, folder);
  rmSync(made, { recursive: true, force: true });
  if (status !== 0) throw new Error('@stryker-mutator/core cannot be installed.');
  return program;
}
