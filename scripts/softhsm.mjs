// Provides SoftHSM, the software token for the tests of hardware keys: an installed one, else Debian's package. Imports no
// package, so that it runs before any build.
import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { canInstallDebianPackages, installDebianPackage } from './setup/debian-package.mjs';

const DEBIAN_PACKAGE = 'softhsm2';
const MODULE_PATHS = [
  '/usr/lib/softhsm/libsofthsm2.so',
  '/usr/lib64/pkcs11/libsofthsm2.so',
  '/usr/local/lib/softhsm/libsofthsm2.so',
  '/opt/homebrew/lib/softhsm/libsofthsm2.so',
];

/**
 * Makes sure that SoftHSM is installed; returns at once when it is.
 * @param {{log?: (line: string) => void, env?: Record<string, string | undefined>}} [options]
 * @returns {Promise<{module: string} | {module: undefined, reason: string}>}
 */
export async function ensureSoftHsm({ log = console.log, env = process.env } = {}) {
  const present = MODULE_PATHS.find((path) => existsSync(path));
  if (present !== undefined) return { module: present };
  let reason = 'is not installed';
  if (canInstallDebianPackages(env)) {
    log(`softhsm: installing Debian's ${DEBIAN_PACKAGE} with apt-get (CER_NO_SYSTEM_INSTALL=1 skips this)`);
    const failure = installDebianPackage(DEBIAN_PACKAGE);
    const installed = MODULE_PATHS.find((path) => existsSync(path));
    if (installed !== undefined) return { module: installed };
    reason = `apt-get: ${failure ?? 'installed, but no module was found'}`;
  }
  log(`softhsm: none (${reason}). Tests of hardware keys do not run; install SoftHSM 2.6 or later`);
  return { module: undefined, reason };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const found = await ensureSoftHsm();
  if (found.module !== undefined) console.log(`softhsm: ${found.module}`);
  else process.exitCode = 1;
}
