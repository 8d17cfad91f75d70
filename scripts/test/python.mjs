#!/usr/bin/env node
// npm run test:python -- [--tests-only]
// Checks the Python package in clients/python: its tests, then format, lint and types. With --tests-only, only its tests.
// The verifier needs the standard library only; missing programs for the rest are named in one line.
//   npm run test:python -- --tests-only
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ensurePython, hasPython } from '../python.mjs';
import { readOptions } from '../setup/options.mjs';

const folder = join(import.meta.dirname, '..', '..', 'clients', 'python');
const { values } = readOptions(import.meta.filename, {
  options: { 'tests-only': { type: 'boolean', default: false } },
});
const isTestsOnly = values['tests-only'];

/** Runs a program in clients/python and ends this one when it fails. */
function run(program, ...args) {
  // Compiled files are kept, and not beside the sources.
  const env = { ...process.env, PYTHONPYCACHEPREFIX: join(folder, '..', '..', '.data', 'python', 'cache') };
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd: folder, encoding: 'utf8', env });
  if (error !== undefined) throw error;
  process.stdout.write(stdout + stderr);
  if (status !== 0) process.exit(1);
}

if (!hasPython()) {
  process.stdout.write('clients/python was not tested: there is no Python 3.9 or later on this machine.\n');
  process.exit(0);
}
run('python3', '-m', 'unittest', 'discover', '-s', 'tests');
const { python, reason } = ensurePython({ list: isTestsOnly ? 'requirements.txt' : 'tools.txt' });
if (python === undefined) {
  process.stdout.write(`clients/python was tested without SDKs: ${reason}.\n`);
} else {
  run(python, '-m', 'unittest', 'discover', '-s', 'tests/sdk');
  if (!isTestsOnly) {
    const older = ensurePython({ list: 'older.txt' });
    if (older.python !== undefined) run(older.python, '-m', 'unittest', 'discover', '-s', 'tests/sdk');
    run(python, '-m', 'ruff', 'format', '--check', '.');
    run(python, '-m', 'ruff', 'check', '.');
    run(python, '-m', 'mypy');
  }
}
