import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Arguments of `node` for a service: its main program, with its launch settings, if any.
 * @param {string} root of the repository
 * @param {string} app folder of the service in `apps`
 */
export function launchArguments(root, app) {
  const main = mainOf(root, app);
  const settings = join(root, 'apps', app, 'launch.env');
  return existsSync(settings) ? [`--env-file=${settings}`, main] : [main];
}

/**
 * The main program of a service.
 * @param {string} root of the repository
 * @param {string} app folder of the service in `apps`
 */
export function mainOf(root, app) {
  return join(root, 'apps', app, 'dist', 'main.js');
}
