import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/**
 * Whether this process may install Debian packages: as root on Debian, unless CER_NO_SYSTEM_INSTALL=1.
 * @param {Record<string, string | undefined>} env
 */
export function canInstallDebianPackages(env) {
  return process.getuid?.() === 0 && existsSync('/etc/debian_version') && env.CER_NO_SYSTEM_INSTALL !== '1';
}

/**
 * Installs one package with apt-get, separately, so that an unavailable one does not fail the others.
 * @param {string} name
 * @returns {string | undefined} the last line of the error output
 */
export function installDebianPackage(name) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const args of [
    ['update', '-qq'],
    ['install', '-y', '-qq', '--no-install-recommends', name],
  ]) {
    const run = spawnSync('apt-get', args, { env, encoding: 'utf8', timeout: 300_000 });
    if (run.status !== 0) {
      return (run.stderr || run.error?.message || `apt-get ${args[0]} failed`).trim().split('\n').at(-1);
    }
  }
  return undefined;
}
