import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
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

it('tries each alert, and documents each', () => {
  const read = (path: string): string => readFileSync(join(root, path), 'utf8');
  const found = (text: string, pattern: RegExp): readonly string[] =>
    [...new Set([...text.matchAll(pattern)].map(([, name]) => name ?? ''))].sort();
  const alerts = found(read('infra/prometheus/rules.yml'), /- alert: (\w+)/g);
  expect(alerts).toContain('ServiceDown');
  expect(found(read('infra/prometheus/rules.test.yml'), /alertname: (\w+)/g)).toEqual(alerts);
  expect(found(read('docs/operations.md'), /^\| `([A-Z][a-z]\w+)` +\|/gm)).toEqual(alerts);
});
