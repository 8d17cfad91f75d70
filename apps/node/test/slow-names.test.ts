import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';

const APP = join(__dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'cer-names-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** A separate network and file system, with a name server that this process answers for. */
const resolvers = join(folder, 'resolv.conf');
writeFileSync(resolvers, 'nameserver 127.0.0.1\n');
const alone = (command: string): readonly [string, readonly string[]] => [
  'unshare',
  ['-rmn', 'sh', '-c', `ip link set lo up && mount --bind '${resolvers}' /etc/resolv.conf && ${command}`],
];

it('signs without name servers under the launch settings', async () => {
  const [program, args] = alone('true');
  if (spawnSync(program, args).status !== 0) {
    process.stderr.write('signing beside slow names was not tested: this machine makes no namespaces\n');
    return;
  }
  const settings = `--env-file='${join(APP, 'launch.env')}'`;
  const [node, words] = alone(`'${process.execPath}' ${settings} '${join(__dirname, 'slow-names.mjs')}'`);
  const env = { PATH: process.env['PATH'] };
  const child = spawn(node, words, { env, stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  const said = await new Promise((resolve) => child.stdout.setEncoding('utf8').once('data', resolve));
  // Its look-ups would delay its exit.
  if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  expect(said).toBe('signed\n');
});

it('runs Node.js with its launch settings', () => {
  const print = 'JSON.stringify([process.env.UV_THREADPOOL_SIZE, process.env.NODE_OPTIONS])';
  const args = [`--env-file=${join(APP, 'launch.env')}`, '-p', print];
  const answer = execFileSync(process.execPath, args, { encoding: 'utf8', env: {} });
  expect(JSON.parse(answer)).toEqual(['2', '--max-semi-space-size=32 --v8-pool-size=1']);
});
