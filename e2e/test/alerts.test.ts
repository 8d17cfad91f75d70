import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { root } from './npm-start.js';

const rules = join(root, 'infra/prometheus');

// Debian's package is prometheus.
it('fires each alert when it should, as promtool says', () => {
  const found = spawnSync('promtool', ['--version']);
  if (found.error !== undefined) {
    process.stderr.write('not run: promtool is not installed\n');
    expect(found.error).toMatchObject({ code: 'ENOENT' });
    return;
  }
  for (const [command, file] of [
    ['check', 'rules.yml'],
    ['test', 'rules.test.yml'],
  ] as const) {
    const { status, stdout, stderr } = spawnSync('promtool', [command, 'rules', join(rules, file)], {
      encoding: 'utf8',
    });
    expect([command, status, stdout + stderr]).toEqual([command, 0, expect.stringContaining('SUCCESS')]);
  }
});
