import { join } from 'node:path';
import { withLock } from './lock.mjs';
import { withProgress } from './progress.mjs';
import { lastLines, runNode } from './run-program.mjs';
import { SetupError } from './setup-error.mjs';

/**
 * Builds what is stale; unchanged workspaces come from the cache.
 * @param {{root: string, workspaces?: readonly string[], log?: (line: string) => void}} options `workspaces`: names such
 *   as `@cer/cli`, built with all they import; all of them unless given
 * @throws {SetupError} with the compiler's output
 */
export async function ensureBuild({ root, workspaces = [], log = console.log }) {
  const filters = workspaces.map((name) => `--filter=${name}`);
  const turbo = join(root, 'node_modules', 'turbo', 'bin', 'turbo');
  const env = { ...process.env, TURBO_TELEMETRY_DISABLED: '1', TURBO_NO_UPDATE_NOTIFIER: '1', DO_NOT_TRACK: '1' };
  const onWait = (owner) => log(`Waiting for another build of this folder (process ${owner}) ...`);
  const { code, output } = await withLock(join(root, '.data', 'build.lock'), onWait, () =>
    withProgress('Building', log, () =>
      runNode([turbo, 'run', 'build', ...filters, '--output-logs=errors-only'], { cwd: root, env }),
    ),
  );
  if (code === 0) return;
  const isFull = /ENOSPC/.test(output);
  throw isFull
    ? new SetupError('The disk is full.', 'Free about 1 GB and run the command again.')
    : new SetupError('The build failed.', `The compiler's output:\n\n${lastLines(output)}`);
}
