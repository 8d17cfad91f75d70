import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';

// Test files of one process share compiled modules (scripts/test/shared-scripts-runtime.cjs), and nothing else.

const ROOT = join(__dirname, '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'cer-shared-scripts-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

interface Result {
  readonly status: string;
  readonly failureMessages: readonly string[];
}

/** The results of the tests by title, of all files in one process. */
let results: ReadonlyMap<string, Result>;

beforeAll(() => {
  const files = {
    'counter.js': 'let count = 0; exports.next = () => { count += 1; return count; }; exports.list = () => [];',
    'broken.js': 'exports.value = ;',
    'throws.js': 'exports.fail = () => { throw new Error("thrown"); };',
    'first.test.js': `
      const { next, list } = require('./counter.js');
      it('first counts', () => { expect(next()).toBe(1); });
      it('first has its own globals', () => { expect(list() instanceof Array).toBe(true); });
      it('first fails to load', () => { require('./broken.js'); });
      it('first throws', () => { require('./throws.js').fail(); });`,
  };
  const changed = `
    const { writeFileSync } = require('node:fs');
    it('second loads a changed file', () => {
      const path = __dirname + '/changing.js';
      writeFileSync(path, 'module.exports = 1;');
      expect(require(path)).toBe(1);
      writeFileSync(path, 'module.exports = 10;');
      jest.resetModules();
      expect(require(path)).toBe(10);
    });`;
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const second = files['first.test.js'].replaceAll("it('first", "it('second") + changed;
  writeFileSync(join(folder, 'second.test.js'), second);
  const runtime = join(ROOT, 'scripts/test/shared-scripts-runtime.cjs');
  const testEnvironment = join(ROOT, 'scripts/test/plain-globals.mjs');
  const config = JSON.stringify({ rootDir: folder, runtime, testEnvironment, transform: {} });
  const jest = join(ROOT, 'node_modules/jest/bin/jest.js');
  const args = [jest, '--config', config, '--runInBand', '--json'];
  const { stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  const { testResults } = JSON.parse(stdout) as {
    readonly testResults: readonly { readonly assertionResults: readonly (Result & { readonly title: string })[] }[];
  };
  results = new Map(testResults.flatMap(({ assertionResults }) => assertionResults.map((each) => [each.title, each])));
});

it.each(['first', 'second'])('keeps state and globals of the %s file apart', (name) => {
  expect(results.get(`${name} counts`)?.status).toBe('passed');
  expect(results.get(`${name} has its own globals`)?.status).toBe('passed');
});

it('loads a file that changed', () => {
  expect(results.get('second loads a changed file')?.status).toBe('passed');
});

it.each(['first', 'second'])('names the place of an error in the %s file', (name) => {
  expect(results.get(`${name} throws`)?.failureMessages.join('')).toContain('throws.js:1:30');
  expect(results.get(`${name} fails to load`)?.failureMessages.join('')).toContain("Unexpected token ';'");
});
