#!/usr/bin/env node
// npm run mutation -- [--score] [--one-process] [PIECE...]
// Mutates the code of targets.mjs and counts the mutants that no test notices. A piece is named by itself or by the start
// of its name ("verify"). Results are kept in .data/mutation, from which the next run carries over unchanged results;
// --score only prints them, --one-process uses one processor. Fails below 90 %, and where argued.mjs has no reason for a
// survivor.
//   npm run mutation -- verify
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readOptions, refuse } from '../scripts/setup/options.mjs';
import { ensureStryker } from './ensure-stryker.mjs';
import { printScores } from './scores.mjs';
import { targets } from './targets.mjs';

const root = dirname(import.meta.dirname);
const folder = join(root, '.data', 'mutation');
const { values, positionals: names } = readOptions(import.meta.filename, {
  options: { score: { type: 'boolean' }, 'one-process': { type: 'boolean' } },
  allowPositionals: true,
});
const chosen = Object.keys(targets).filter(
  (name) => names.length === 0 || names.some((each) => name === each || name.startsWith(`${each}/`)),
);
if (chosen.length === 0) refuse(`unknown piece. Choose from ${Object.keys(targets).join(', ')}`);
const fileOf = (name, kind) => join(folder, `${name.replace('/', '-')}.${kind}.json`);

mkdirSync(folder, { recursive: true });
if (!values.score) {
  const stryker = ensureStryker({ root });
  for (const name of chosen) mutate(stryker, name);
}
const reports = chosen.filter((name) => existsSync(fileOf(name, 'report')));
process.exitCode = printScores(reports.map((name) => ({ name, file: fileOf(name, 'report') }))) ? 0 : 1;

/**
 * A new test may catch an earlier survivor, and a busy machine may time out: only mutants that a test caught are
 * carried over.
 */
function forgetSurvivors(file) {
  if (!existsSync(file)) return;
  const report = JSON.parse(readFileSync(file, 'utf8'));
  for (const part of Object.values(report.files)) {
    part.mutants = part.mutants.filter(({ status }) => status === 'Killed');
  }
  writeFileSync(file, JSON.stringify(report));
}

function mutate(stryker, name) {
  forgetSurvivors(fileOf(name, 'incremental'));
  const config = {
    testRunner: 'suites',
    plugins: [join(import.meta.dirname, 'runner.mjs')],
    mutate: targets[name].mutate,
    // The copy that is mutated has sources and vectors only.
    ignorePatterns: ['**', '!packages/**', '!package.json', '!docs/spec.md', '**/dist/**', '**/node_modules/**'],
    tempDirName: '.data/mutation/sandbox',
    coverageAnalysis: 'perTest',
    concurrency: values['one-process'] ? 1 : 2,
    incremental: true,
    incrementalFile: fileOf(name, 'incremental'),
    reporters: ['json', 'progress-append-only'],
    jsonReporter: { fileName: fileOf(name, 'report') },
    // The runner counts what runs endlessly: a shorter time would take a busy machine for a noticed change.
    timeoutMS: 120_000,
    warnings: { slow: false },
  };
  writeFileSync(fileOf(name, 'config'), JSON.stringify(config));
  const env = { ...process.env, CER_MUTATION_PIECE: name };
  const { status } = spawnSync(process.execPath, [stryker, 'run', fileOf(name, 'config')], {
    cwd: root,
    stdio: 'inherit',
    env,
  });
  if (status !== 0) throw new Error(`The mutation tester ended with ${status} on ${name}.`);
}
