import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

// Runs the tests of `npm run test:python`: the package in clients/python, whose verifier reads the same vectors.

const SCRIPT = join(__dirname, '..', '..', 'scripts', 'test', 'python.mjs');

it('passes the tests of the Python package', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, '--tests-only'], { encoding: 'utf8' });
  expect({ status, stderr, stdout: status === 0 ? '' : stdout }).toEqual({ status: 0, stderr: '', stdout: '' });
  const lacking = /^clients\/python was .*$/m.exec(stdout);
  if (lacking !== null) process.stderr.write(`${lacking[0]}\n`);
  if (!stdout.startsWith('clients/python was not tested')) expect(stdout).toMatch(/^\d+ vectors in \d+ families$/m);
});
