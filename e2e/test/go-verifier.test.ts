import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

// Runs `npm run test:go`: the verifier in clients/go, written from docs/spec.md alone, over the same vectors.

const SCRIPT = join(__dirname, '..', '..', 'scripts', 'test', 'go.mjs');

it('verifies every vector with the Go verifier', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  if (stdout.startsWith('clients/go was not tested')) process.stderr.write(stdout);
  else expect(stdout).toMatch(/^ok\s+cer\.example\/verifier\/cer\b/m);
});
