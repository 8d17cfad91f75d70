#!/usr/bin/env node
// npm run test:go -- [options of go test]
// Checks the independent verifier in clients/go: format, vet, tests. Where Go is missing it says so in one line.
//   npm run test:go -- -run TestVectors
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { readOptions } from '../setup/options.mjs';

const folder = join(import.meta.dirname, '..', '..', 'clients', 'go');

/** Runs a program in clients/go and ends this one when it fails. Returns what it wrote to standard output. */
function run(program, ...args) {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, GOTOOLCHAIN: 'local' },
  });
  if (error !== undefined) throw error;
  process.stdout.write(stdout);
  process.stderr.write(stderr);
  if (status !== 0) process.exit(1);
  return stdout;
}

// Only for --help.
readOptions(import.meta.filename, { strict: false });
if (spawnSync('go', ['version']).error !== undefined) {
  process.stdout.write('clients/go was not tested: there is no Go on this machine (go.dev, 1.24 or later).\n');
  process.exit(0);
}
if (run('gofmt', '-l', '.') !== '') {
  process.stderr.write('clients/go: gofmt would change these files.\n');
  process.exit(1);
}
run('go', 'vet', './...');
// Go's cache of results does not see the vectors, which are outside its module.
run('go', 'test', '-count=1', ...process.argv.slice(2), './...');
