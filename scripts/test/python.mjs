#!/usr/bin/env node
// Checks the Python package in clients/python: its tests, then format, lint and types. With --tests-only, only its tests.
// The standard library is enough for the verifier; the rest needs the packages of tests/requirements.txt, which are
// installed once below .data. What a machine lacks is named in one line.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');
const folder = join(root, 'clients', 'python');
const OLDEST = [3, 9];

/** Runs a program in clients/python and ends this one when it fails. */
function run(program, ...args) {
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' };
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd: folder, encoding: 'utf8', env });
  if (error !== undefined) throw error;
  process.stdout.write(stdout + stderr);
  if (status !== 0) process.exit(1);
}

function pythonVersion() {
  const { stdout, error } = spawnSync('python3', ['-c', 'import sys; print(*sys.version_info[:2])'], {
    encoding: 'utf8',
  });
  return error === undefined ? stdout.trim().split(' ').map(Number) : null;
}

/** A Python with the packages of a list, installed once for each content. @returns null where they cannot be installed */
function pythonWith(list) {
  const requirements = join(folder, 'tests', list);
  const hash = createHash('sha256').update(readFileSync(join(folder, 'tests', 'requirements.txt')));
  const digest = hash.update(readFileSync(requirements)).digest('hex').slice(0, 12);
  const venv = join(root, '.data', 'python', `${list}-${digest}`);
  const python = join(venv, 'bin', 'python');
  const marker = join(venv, 'installed');
  if (existsSync(marker)) return python;
  const steps = [
    ['python3', '-m', 'venv', venv],
    [python, '-m', 'pip', 'install', '--quiet', '--no-compile', '--disable-pip-version-check', '-r', requirements],
    [python, '-c', `open(${JSON.stringify(marker)}, "w").close()`],
  ];
  const isDone = steps.every(([program = '', ...args]) => spawnSync(program, args, { stdio: 'ignore' }).status === 0);
  return isDone ? python : null;
}

const version = pythonVersion();
if (version === null || version[0] < OLDEST[0] || (version[0] === OLDEST[0] && version[1] < OLDEST[1])) {
  process.stdout.write('clients/python was not tested: there is no Python 3.9 or later on this machine.\n');
  process.exit(0);
}
const isTestsOnly = process.argv.includes('--tests-only');
run('python3', '-m', 'unittest', 'discover', '-s', 'tests');
const python = pythonWith(isTestsOnly ? 'requirements.txt' : 'tools.txt');
if (python === null) {
  process.stdout.write('clients/python was tested without SDKs: their packages cannot be installed.\n');
} else {
  run(python, '-m', 'unittest', 'discover', '-s', 'tests/sdk');
  if (!isTestsOnly) {
    run(python, '-m', 'ruff', 'format', '--check', '.');
    run(python, '-m', 'ruff', 'check', '.');
    run(python, '-m', 'mypy');
  }
}
