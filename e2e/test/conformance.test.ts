import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { root } from './npm-start.js';

// The short form of `npm run conformance`: everything but the vectors against the node, three kinds of cases in other
// languages. The vectors run in full in packages/cer-core.

const folder = mkdtempSync(join(tmpdir(), 'cer-conformance-test-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

interface Result {
  readonly id: string;
  readonly outcome: string;
  readonly detail?: string;
}

/** The results, or null with the reason in one line where the implementation cannot run here. */
async function conformance(only: string, ...implementation: string[]): Promise<readonly Result[] | null> {
  // Of this run alone: one that ends early must not be judged by the report of another.
  const report = join(mkdtempSync(join(folder, 'run-')), 'report.json');
  const args = [join(root, 'conformance/run.mjs'), ...implementation, '--only', only, '--json', report];
  // The exit code says no more than the report, where there is one.
  const { stdout, stderr } = await new Promise<{ stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, args, (_error, out, err) => {
      resolve({ stdout: out, stderr: err });
    });
  });
  if (stdout.includes('was not run')) {
    process.stderr.write(stdout);
    return null;
  }
  if (!existsSync(report)) throw new Error(stderr);
  return (JSON.parse(readFileSync(report, 'utf8')) as { readonly results: readonly Result[] }).results;
}

const notPassed = (results: readonly Result[]): readonly Result[] =>
  results.filter(({ outcome }) => outcome !== 'passed');

describe('the node conforms', () => {
  const CASES = [
    ['seal/', 45],
    ['picture/', 17],
    ['canonical/', 120],
    ['timestamp/', 28],
    ['log/', 263],
    ['render/', 29],
    ['span/', 30],
    ['http/', 61],
    ['control-plane/', 11],
  ] as const;
  let all: readonly Result[];
  beforeAll(async () => {
    all = (await conformance(CASES.map(([only]) => only).join(','), '--impl', 'node')) ?? [];
  });

  it.each(CASES)('%s', (only, atLeast) => {
    const results = all.filter(({ id }) => id.startsWith(only));
    expect(notPassed(results)).toEqual([]);
    expect(results.length).toBeGreaterThanOrEqual(atLeast);
  });
});

it.each([
  ['go', 'canonical/,log/'],
  ['python', 'canonical/,log/,seal/,timestamp/'],
])('the package in %s conforms: %s', async (name, only) => {
  const results = await conformance(only, '--impl', name);
  if (results !== null) expect(notPassed(results)).toEqual([]);
});

it('fails a wrong answer and passes no missing command', async () => {
  const wrong = join(folder, 'wrong.mjs');
  writeFileSync(
    wrong,
    "if (process.argv[2] !== 'seal') process.exit(64);\nfor (const _ of process.argv.slice(3)) console.log('{}');\n",
  );
  const command = ['--command', `${process.execPath} ${wrong}`];
  const results = (await conformance('seal/,http/', ...command)) ?? [];
  const outcomesOf = (kind: string): ReadonlySet<string> =>
    new Set(results.filter(({ id }) => id.startsWith(kind)).map(({ outcome }) => outcome));
  expect(outcomesOf('seal/')).toEqual(new Set(['failed']));
  expect(outcomesOf('http/')).toEqual(new Set(['not built']));
});
