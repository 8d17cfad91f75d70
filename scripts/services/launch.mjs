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
 * The main program of a service, as it was built. Tests set `CER_PROGRAMS` to a folder of programs that are bundled
 * into few files and load in a fifth of the processor time; missing programs are run as built.
 * @param {string} root of the repository
 * @param {string} app folder of the service in `apps`
 */
export function mainOf(root, app) {
  const built = join(root, 'apps', app, 'dist', 'main.js');
  const folder = process.env.CER_PROGRAMS;
  if (folder === undefined) return built;
  const bundle = join(folder, 'apps', app, 'src', 'main.js');
  return existsSync(bundle) ? bundle : built;
}
