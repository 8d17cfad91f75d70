// No dependencies: `npm test` reads it before anything is installed.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The workspaces of the repository, by the names of their folders.
 * @param {string} root
 * @returns {{name: string, folder: string}[]} `folder` absolute
 */
export function workspacesIn(root) {
  return ['packages', 'apps']
    .flatMap((group) => readdirSync(join(root, group)).map((name) => ({ name, folder: join(root, group, name) })))
    .concat({ name: 'e2e', folder: join(root, 'e2e') })
    .filter(({ folder }) => existsSync(join(folder, 'package.json')));
}
