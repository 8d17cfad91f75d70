#!/usr/bin/env node
// npm run test:workflows
// Each action is named by its commit, since a tag can be moved to other code. actionlint over .github/workflows: it is
// built from the Go module proxy, which takes half a minute the first time; where that cannot be done, one line says why.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { readOptions } from '../setup/options.mjs';

const ACTIONLINT = 'github.com/rhysd/actionlint/cmd/actionlint@v1.7.7';
const root = join(import.meta.dirname, '..', '..');
const tools = join(root, '.data', 'tools');
const actionlint = join(tools, 'actionlint');
const workflows = join(root, '.github', 'workflows');

const run = (program, args, options = {}) => spawnSync(program, args, { encoding: 'utf8', ...options });

readOptions(import.meta.filename);
const files = readdirSync(workflows).map((name) => join(workflows, name));
const unpinned = files.flatMap((file) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => /\buses:/.test(line) && !/uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))
    .map((line) => `${relative(root, file)}: ${line.trim()}`),
);
if (unpinned.length > 0) {
  console.error(
    `test:workflows: must name the commit and its version (@<40 hex digits> # v1.2.3):\n${unpinned.join('\n')}`,
  );
  process.exit(1);
}
if (!existsSync(actionlint)) {
  const env = { ...process.env, GOBIN: tools, GOFLAGS: '-mod=mod' };
  const { status, stderr, error } = run('go', ['install', ACTIONLINT], { env });
  if (status !== 0) {
    const reason = error === undefined ? (stderr.trim().split('\n').at(-1) ?? '') : 'Go is not installed';
    console.log(`test:workflows: not run: ${reason}`);
    process.exit(0);
  }
}
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
