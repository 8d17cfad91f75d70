// Test suites of jest as functions that run in this process, from fresh modules each time.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { performance } from 'node:perf_hooks';
import { Script } from 'node:vm';
import { build } from 'esbuild';
import { expect } from 'expect';
import * as circus from 'jest-circus';
import { sourcesOf } from '../scripts/sources-plugin.mjs';

// The globals that jest gives a test: the functions that declare, and assertions.
const JEST = { '@jest/globals': { ...circus, expect } };
globalThis[Symbol.for('TEST_TIMEOUT_SYMBOL')] = 120_000;

/** Tests and what they import read files beside them. */
const ownFolder = {
  name: 'own-folder',
  setup({ onLoad }) {
    onLoad({ filter: /\/packages\/[^/]+\/test\/.*\.ts$/ }, ({ path }) => ({
      contents: `const __dirname = ${JSON.stringify(dirname(path))};${readFileSync(path, 'utf8')}`,
      loader: 'ts',
    }));
  },
};

/** Titles of tests that take texts of many megabytes, repeat a search for minutes with counters in it, or judge vectors. */
const LEFT_OUT =
  /^the vector families|takes a long literal|takes long strings|ten million brackets|slow down on hostile strings|every leaf and every earlier size/;

let observe = () => {};
circus.addEventHandler((event, state) => observe(event, state));

/**
 * @param {string} root the folder that has `packages`
 * @param {string[]} files test files, absolute
 * @returns {Promise<{has: (id: string) => boolean, run: (options: RunOptions) => Promise<Outcome[]>}[]>}
 * @typedef {{only?: Set<string>, onStart?: (id?: string) => void, onLoaded?: () => void, bail?: boolean}} RunOptions
 * @typedef {{id: string, name: string, fileName: string, milliseconds: number, isSkipped: boolean, fault: string | null}} Outcome
 */
export async function loadSuites(root, files) {
  const require = createRequire(join(root, 'package.json'));
  const given = (name) => JEST[name] ?? require(name);
  const { outputFiles } = await build({
    entryPoints: files,
    outdir: join(root, 'bundled'),
    write: false,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'cjs',
    target: 'es2022',
    absWorkingDir: root,
    outbase: root,
    logLevel: 'error',
    plugins: [sourcesOf(root), ownFolder],
  });
  return outputFiles.map(({ path, text }, index) => {
    const script = new Script(`(function (require, module, exports) {${text}\n})`, { filename: path });
    const file = files[index];
    const prefix = `${relative(root, file)}: `;
    return {
      has: (id) => id.startsWith(prefix),
      run: (options) => runSuite({ file, prefix, script, given }, options),
    };
  });
}

async function runSuite(
  { file, prefix, script, given },
  { only, onStart = () => {}, onLoaded = () => {}, bail = false },
) {
  const idOf = (test) => `${prefix}${titleOf(test)}`;
  const outcomes = [];
  let start = 0;
  let isOver = false;
  circus.resetState();
  observe = (event) => {
    if (event.name === 'test_start') {
      const isWanted = only?.has(idOf(event.test)) ?? !LEFT_OUT.test(titleOf(event.test));
      if (isOver || !isWanted) event.test.mode = 'skip';
      else onStart(idOf(event.test));
      start = performance.now();
    }
    if (event.name === 'test_done' || event.name === 'test_skip') {
      const { test } = event;
      const fault = event.name === 'test_done' && test.errors.length > 0 ? messageOf(test.errors[0]) : null;
      const isSkipped = event.name === 'test_skip';
      const milliseconds = performance.now() - start;
      outcomes.push({ id: idOf(test), name: titleOf(test), fileName: file, milliseconds, isSkipped, fault });
      onStart(undefined);
      if (fault !== null && bail) isOver = true;
    }
  };
  const module = { exports: {} };
  script.runInThisContext()(given, module, module.exports);
  onLoaded();
  const { unhandledErrors } = await circus.run();
  if (unhandledErrors.length > 0) throw new Error(String(unhandledErrors[0]));
  return outcomes;
}

function titleOf(test) {
  const titles = [];
  for (let at = test; at !== undefined && at.name !== 'ROOT_DESCRIBE_BLOCK'; at = at.parent) titles.unshift(at.name);
  return titles.join(' ');
}

function messageOf(error) {
  const [cause] = Array.isArray(error) ? error : [error];
  return String(cause?.message ?? cause).slice(0, 500);
}
