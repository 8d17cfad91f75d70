// `docker compose`: the plugin of this machine, or one built from the Go module proxy, which takes minutes the first time.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './buildah.mjs';

const COMPOSE = 'github.com/docker/compose/v2';
const VERSION = 'v2.40.3';
const tools = join(import.meta.dirname, '..', '..', '.data', 'tools');
const built = join(tools, 'docker-compose');

const hasPlugin = () => spawnSync('docker', ['compose', 'version'], { stdio: 'ignore' }).status === 0;

/** @returns {string | undefined} why there is no compose on this machine */
export function ensureCompose() {
  if (hasPlugin() || existsSync(built)) return undefined;
  console.log(`building docker compose ${VERSION} ...`);
  // `go install` refuses a module that excludes versions: a separate module requires it.
  const cwd = join(tools, 'compose');
  mkdirSync(cwd, { recursive: true });
  writeFileSync(join(cwd, 'go.mod'), 'module compose\n\ngo 1.24\n');
  try {
    for (const args of [
      ['get', `${COMPOSE}@${VERSION}`],
      ['build', '-mod=mod', '-o', built, `${COMPOSE}/cmd`],
    ]) {
      const { status, stderr, error } = spawnSync('go', args, { cwd, encoding: 'utf8' });
      if (status !== 0) return `docker compose cannot be built: ${error?.message ?? stderr.trim().split('\n').at(-1)}`;
    }
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
  return undefined;
}

/** @param {string} project @returns {string[]} the command with its first options, for a shell in the folder of the project */
export function composeCommand(project) {
  return [...(hasPlugin() ? ['docker', 'compose'] : [built]), '--project-name', project, '--progress', 'quiet'];
}

/**
 * @param {string} folder of docker-compose.yml
 * @param {string} project
 * @returns {(...args: string[]) => Promise<string>} runs compose and returns its output
 */
export function composeOf(folder, project) {
  const [program, ...options] = [...composeCommand(project), '--project-directory', folder];
  return (...args) => run(program, [...options, ...args]);
}
