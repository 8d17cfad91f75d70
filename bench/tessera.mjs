// A log of Tessera in a folder, beside that of a node: e2e/go has the program.
import { execFile, execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const SOURCE = join(import.meta.dirname, '../e2e/go');
const PROGRAM = join(import.meta.dirname, '../node_modules/.cache/cer-bench/independent-tlog');

/**
 * Appends `leaves` entries of the size of ours to an empty log in `folder`.
 * @returns {Promise<{rate: number, proofMs: number} | {missing: string}>} leaves per second until all are integrated,
 *   and the median time of a proof in milliseconds, read from the files
 */
export async function measureTessera(folder, leaves) {
  const env = { ...process.env, GOTOOLCHAIN: 'local', GOFLAGS: '-mod=readonly' };
  try {
    execFileSync('go', ['build', '-o', PROGRAM, '.'], { cwd: SOURCE, env, stdio: 'pipe' });
  } catch (error) {
    return { missing: `Go with its modules is needed: ${error.message.split('\n')[0]}` };
  }
  const { stdout } = await promisify(execFile)(PROGRAM, ['load', folder, String(leaves)]);
  return JSON.parse(stdout);
}
