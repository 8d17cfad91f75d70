import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

// `npm run fuzz` without time: each target on its seeds and on the inputs that are kept in fuzz/corpus.

it('holds every property on the kept inputs', () => {
  const root = join(__dirname, '..', '..');
  const args = [join(root, 'fuzz', 'run.mjs'), '--seconds', '0'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  expect({ status, stdout: status === 0 ? '' : stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
  expect(stdout.match(/, 0 findings, /g)?.length).toBeGreaterThanOrEqual(10);
});
