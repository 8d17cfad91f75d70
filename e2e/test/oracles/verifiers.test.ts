import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { changedBundles, changedCase, type VerifyCase } from './changed-bundles.js';
import { oracleRuns, OutcomeCounts } from './oracle.js';

// The verifier of this project against those in clients/python and clients/go, on vectors with changed members.

const BATCH = 500;

type Answer = Readonly<Record<string, unknown>>;

const ANSWERS = join(__dirname, '..', '..', '..', 'conformance', 'answers.mjs');

function answersOf(implementation: string, cases: readonly VerifyCase[]): readonly Answer[] {
  const { status, stdout, stderr } = spawnSync(process.execPath, [ANSWERS, implementation], {
    input: cases.map((one) => JSON.stringify(one)).join('\n'),
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Answer);
}

/** The members that both state. Which of several findings with one code comes first is not specified. */
function shared(answer: Answer, other: Answer): Answer {
  return Object.fromEntries(Object.entries(answer).filter(([name]) => name !== 'member' && Object.hasOwn(other, name)));
}

describe.each(['python', 'go'])('the verifier in clients/%s', (name) => {
  const { seed, numRuns } = oracleRuns(250);
  const counts = new OutcomeCounts();
  afterAll(() => {
    counts.report(`Verifier: clients/${name}`, seed);
  });

  it('judges changed certificates and projects alike', async () => {
    for (let done = 0; done < numRuns; done += BATCH) {
      const drawn = fc.sample(changedBundles, { numRuns: Math.min(BATCH, numRuns - done), seed: seed + done });
      const cases = await Promise.all(drawn.map(changedCase));
      const theirs = answersOf(name, cases);
      if (typeof theirs[0]?.['missing'] === 'string') {
        process.stderr.write(`Not compared with clients/${name}: ${theirs[0]['missing']}.\n`);
        return;
      }
      for (const [at, ours] of answersOf('node', cases).entries()) {
        const other = theirs[at] ?? {};
        const [mine, its] = [shared(ours, other), shared(other, ours)];
        if (!isDeepStrictEqual(mine, its)) expect({ case: cases[at], ...its }).toEqual({ case: cases[at], ...mine });
        counts.add(String(ours['refused'] ?? ours['code']));
      }
    }
    expect(counts.of('OK')).toBeGreaterThan(0);
    expect(counts.of('SCHEMA_ERROR')).toBeGreaterThan(0);
  });
});
