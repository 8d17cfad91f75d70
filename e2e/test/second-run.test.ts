import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';

// Runs scripts/test/second-run.mjs, a part of .ci/run, with an npm that answers as given.

const SCRIPT = join(__dirname, '..', '..', 'scripts', 'test', 'second-run.mjs');
const scratch = mkdtempSync(join(tmpdir(), 'cer-second-run-test-'));
const [one, other] = [join(scratch, 'one.test.ts'), join(scratch, 'other.test.ts')];
afterAll(() => {
  rmSync(scratch, { recursive: true });
});

/** The result of a second run whose tests leave these totals. */
function secondRun(totals: object): { status: number | null; stdout: string; totals: unknown } {
  const file = join(scratch, 'totals');
  const failedSuites = [one, other].map((path) => ({ path, passed: 1 }));
  writeFileSync(file, JSON.stringify({ passed: 10, failed: 2, skipped: 0, failedSuites }));
  writeFileSync(join(scratch, 'answer'), JSON.stringify({ failed: 0, skipped: 0, failedSuites: [], ...totals }));
  writeFileSync(join(scratch, 'npm'), '#!/bin/sh\ncp "$ANSWER" "$CER_TEST_TOTALS"\n', { mode: 0o755 });
  const { status, stdout } = spawnSync(process.execPath, [SCRIPT, file], {
    encoding: 'utf8',
    env: { ...process.env, PATH: `${scratch}:${process.env['PATH'] ?? ''}`, ANSWER: join(scratch, 'answer') },
  });
  return { status, stdout, totals: JSON.parse(readFileSync(file, 'utf8')) };
}

it('names the files that pass alone', () => {
  const { status, stdout, totals } = secondRun({ passed: 4, suites: [one, other] });
  expect(status).toBe(0);
  expect(stdout.match(/PASSED ALONE/g)).toHaveLength(2);
  expect(totals).toMatchObject({ passed: 12, failed: 0 });
});

it('fails for a file that was not run again', () => {
  const { status, stdout, totals } = secondRun({ passed: 2, suites: [one] });
  expect(status).toBe(1);
  expect(stdout).toMatch(/NOT RUN AGAIN: .*other\.test\.ts/);
  expect(stdout).not.toMatch(/PASSED ALONE: .*other\.test\.ts/);
  expect(totals).toMatchObject({ passed: 10, failed: 1 });
});
