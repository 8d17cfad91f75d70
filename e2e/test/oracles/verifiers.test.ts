import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { changedBundles, changedCase, type VerifyCase } from './changed-bundles.js';
import { answersOf, oracleRuns, OutcomeCounts } from './oracle.js';

// The verifier of this project against those in clients/python and clients/go, on vectors with changed members.

const ANSWERS = join(__dirname, '..', '..', '..', 'conformance', 'answers.mjs');

type Answer = Readonly<Record<string, unknown>>;

const { seed, numRuns } = oracleRuns(250);
let cases: readonly VerifyCase[] = [];
let ours: readonly Answer[] = [];
beforeAll(async () => {
  cases = await Promise.all(fc.sample(changedBundles, { numRuns, seed }).map(changedCase));
  ours = verdictsOf('node');
});

function verdictsOf(implementation: string): readonly Answer[] {
  const lines = cases.map((one) => JSON.stringify(one));
  return answersOf(process.execPath, [ANSWERS, implementation], lines) as readonly Answer[];
}

/** The members that both state. Which of several findings with one code comes first is not specified. */
function shared(answer: Answer, other: Answer): Answer {
  return Object.fromEntries(Object.entries(answer).filter(([name]) => name !== 'member' && Object.hasOwn(other, name)));
}

describe.each(['python', 'go'])('the verifier in clients/%s', (name) => {
  const counts = new OutcomeCounts();
  afterAll(() => {
    counts.report(`Verifier: clients/${name}`, seed);
  });

  it('judges changed certificates and projects alike', () => {
    const theirs = verdictsOf(name);
    if (typeof theirs[0]?.['missing'] === 'string') {
      process.stderr.write(`Not compared with clients/${name}: ${theirs[0]['missing']}.\n`);
      return;
    }
    for (const [at, one] of ours.entries()) {
      const other = theirs[at] ?? {};
      const [mine, its] = [shared(one, other), shared(other, one)];
      if (!isDeepStrictEqual(mine, its)) expect({ case: cases[at], ...its }).toEqual({ case: cases[at], ...mine });
      counts.add(String(one['refused'] ?? one['code']));
    }
    expect(counts.of('OK')).toBeGreaterThan(0);
    expect(counts.of('SCHEMA_ERROR')).toBeGreaterThan(0);
  });
});
