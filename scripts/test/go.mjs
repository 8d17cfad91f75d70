#!/usr/bin/env node
// Checks the independent verifier in clients/go: format, vet, tests. Where Go is missing it says so in one line.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

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
