// A built service in a separate process, for the journeys of the suite. It ends when its standard input ends.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';

/** The program of an app of this repository. */
export const mainOf = (app) => join(import.meta.dirname, '..', '..', 'apps', app, 'dist', 'main.js');

/**
 * Writes the facts of the service as one line when it listens, and exits when it has ended.
 * @param {{main: string, env: object, folder: string, facts: object}} service its folder is removed
 */
export async function serveProcess({ main, env, folder, facts }) {
  const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let log = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    if (log === null) return;
    log += chunk;
    const url = /"url":"([^"]+)"/.exec(log)?.[1];
    if (url === undefined) return;
    log = null;
    process.stdout.write(`${JSON.stringify({ url, ...facts })}\n`);
  });
  process.stdin.resume().once('end', () => child.kill('SIGTERM'));
  process.once('SIGTERM', () => child.kill('SIGTERM'));
  const [code] = await once(child, 'close');
  rmSync(folder, { recursive: true, force: true });
  process.exit(code ?? 1);
}
