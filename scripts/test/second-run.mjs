// `node scripts/test/second-run.mjs TOTALS`: runs the few test files that failed once more, one after the other and beside
// nothing else, and changes the totals accordingly. Ends with 0 when all of them passed then. See docs/decisions/0044.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

/** More failures than this have one cause, and a second run would only take time. */
const MAX_SUITES = 3;

const [file] = process.argv.slice(2);
const first = JSON.parse(readFileSync(file, 'utf8'));
const again = first.failedSuites;
if (again.length === 0 || again.length > MAX_SUITES) process.exit(1);

const folder = mkdtempSync(join(tmpdir(), 'cer-second-run-'));
try {
  const totals = join(folder, 'totals');
  const paths = again.map(({ path }) => relative(process.cwd(), path));
  console.log(`Run again, alone: ${paths.join(', ')}`);
  const { status } = spawnSync('npm', ['test', '--silent', '--', '--maxWorkers=1', '--runTestsByPath', ...paths], {
    stdio: 'inherit',
    env: { ...process.env, CER_TEST_TOTALS: totals },
  });
  const second = JSON.parse(readFileSync(totals, 'utf8'));
  const failedAgain = new Set(second.failedSuites.map(({ path }) => path));
  const ran = new Set(second.suites);
  // jest says nothing about a file that is not there, as long as another one is.
  const missing = again.filter(({ path }) => !ran.has(path));
  for (const { path } of again) {
    const outcome = ran.has(path) ? 'FAILED BESIDE OTHERS, PASSED ALONE' : 'FAILED, NOT RUN AGAIN';
    if (!failedAgain.has(path)) console.log(`${outcome}: ${relative(process.cwd(), path)}`);
  }
  const passedBefore = again.reduce((sum, { passed }) => sum + passed, 0);
  const skipped = Math.max(first.skipped, second.skipped);
  const passed = first.passed - passedBefore + second.passed;
  writeFileSync(file, JSON.stringify({ ...second, passed, failed: second.failed + missing.length, skipped }));
  process.exitCode = missing.length > 0 ? 1 : (status ?? 1);
} finally {
  rmSync(folder, { recursive: true });
}
