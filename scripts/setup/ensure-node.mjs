// Written for any Node with ES modules, so that an old one prints a sentence instead of a syntax error.
import { SetupError } from './setup-error.mjs';

/** package.json's `engines`: ^20.19 || ^22.12 || >=24. */
export function isSupported(version) {
  const [major, minor] = version.split('.').map(Number);
  return (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major >= 24;
}

/**
 * Checks the version of Node.
 * @param {string} [version] the running one unless given
 * @throws {SetupError} when it is too old
 */
export function ensureNode(version = process.versions.node) {
  if (isSupported(version)) return;
  throw new SetupError(
    `Node ${version} cannot run this: it needs Node 20.19 or later of line 20, 22.12 or later of line 22, or 24 and up.`,
    'Install a current one from https://nodejs.org, then run the command again.',
  );
}
