import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * What `node` is given to run a service: its main program, with its launch settings where it has some.
 * @param {string} root of the repository
 * @param {string} app folder of the service in `apps`
 */
export function launchArguments(root, app) {
  const main = join(root, 'apps', app, 'dist', 'main.js');
  const settings = join(root, 'apps', app, 'launch.env');
  return existsSync(settings) ? [`--env-file=${settings}`, main] : [main];
}
