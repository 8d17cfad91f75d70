#!/usr/bin/env node
// npm run test:oracles -- [TIMES [NAME]]
// The comparisons of e2e/test/oracles with other implementations, TIMES as long as in `npm test` (20), and the count of each
// outcome. CER_ORACLE_SEED repeats a run.
//   npm run test:oracles -- 5 zip
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { numberOf, readOptions } from '../setup/options.mjs';

const { positionals } = readOptions(import.meta.filename, { allowPositionals: true });
const [times = '20', name = ''] = positionals;
numberOf({ TIMES: times }, 'TIMES', 1);
const root = join(import.meta.dirname, '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'oracles-'));
const report = join(folder, 'report.ndjson');

const args = ['jest', '--selectProjects', 'e2e', '--runInBand', '--testTimeout', '7200000'];
const { status } = spawnSync('npx', [...args, '--testPathPatterns', `test/oracles/${name}`], {
  cwd: root,
  env: { ...process.env, CER_ORACLE_TIMES: times, CER_ORACLE_REPORT: report },
  stdio: 'inherit',
});
const lines = existsSync(report) ? readFileSync(report, 'utf8').trimEnd().split('\n') : [];
for (const { oracle, seed, outcomes } of lines.map((line) => JSON.parse(line))) {
  const total = Object.values(outcomes).reduce((sum, count) => sum + count, 0);
  console.log(`\n${oracle}: ${total} cases, seed ${seed}`);
  for (const [outcome, count] of Object.entries(outcomes)) console.log(`  ${count} ${outcome}`);
}
rmSync(folder, { recursive: true });
process.exitCode = status ?? 1;
