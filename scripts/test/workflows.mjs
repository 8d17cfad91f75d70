#!/usr/bin/env node
// npm run test:workflows
// actionlint over .github/workflows. It is built from the Go module proxy, which takes half a minute the first time; where
// that cannot be done, one line says why.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readOptions } from '../setup/options.mjs';

const ACTIONLINT = 'github.com/rhysd/actionlint/cmd/actionlint@v1.7.7';
const root = join(import.meta.dirname, '..', '..');
const tools = join(root, '.data', 'tools');
const actionlint = join(tools, 'actionlint');
const workflows = join(root, '.github', 'workflows');

const run = (program, args, options = {}) => spawnSync(program, args, { encoding: 'utf8', ...options });

readOptions(import.meta.filename);
if (!existsSync(actionlint)) {
  const env = { ...process.env, GOBIN: tools, GOFLAGS: '-mod=mod' };
  const { status, stderr, error } = run('go', ['install', ACTIONLINT], { env });
  if (status !== 0) {
    const reason = error === undefined ? (stderr.trim().split('\n').at(-1) ?? '') : 'Go is not installed';
    console.log(`test:workflows: not run: ${reason}`);
    process.exit(0);
  }
}
const files = readdirSync(workflows).map((name) => join(workflows, name));
const { status, stdout, stderr } = run(actionlint, ['-no-color', ...files], { cwd: root });
process.stdout.write(stdout);
process.stderr.write(stderr);
// A program that finds nothing in a faulty file proves nothing.
const faulty = 'on: push\njobs:\n  one:\n    runs-on: ubuntu-latest\n    steps: [{ run: "${{ github.nothing }}" }]\n';
if (run(actionlint, ['-'], { input: faulty }).status !== 1) {
  console.error('test:workflows: actionlint finds no fault in a faulty workflow');
  process.exit(1);
}
console.log(`${files.length} workflows: ${status === 0 ? 'no findings' : 'see above'}`);
process.exitCode = status === 0 ? 0 : 1;
