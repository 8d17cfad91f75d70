import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { parseKeySet } from '@cer/keys';
import { parseJson } from '@cer/canonical-json';
import { CER_VERIFY_CODES } from '../src/index.js';
import { evaluateCer } from '../src/verify.js';
import { allFamilies, familyText } from './vectors/all-families.js';
import { committedCase, committedCases, committedFamilies } from './vectors/committed.js';
import { differences, observe } from './vectors/observe.js';
import type { Family } from './vectors/family.js';

const cases = committedCases();

describe('the committed vectors', () => {
  it.each(cases)('$id', async (vector) => {
    expect(differences(vector.expected, await observe(vector))).toEqual({});
  });
});

it('hide a context outside the hash', async () => {
  const vector = committedCase('older-reseal-context-excluded');
  const { bundle, relaxations } = await evaluateCer(parseJson(vector.bundle), {
    keySet: parseKeySet(vector.keySet),
    verifiedAt: '2026-07-01T00:00:00.000Z',
  });
  expect(relaxations).toEqual(['context-excluded']);
  expect(bundle).toHaveProperty('contextSummary');
  expect(bundle).not.toHaveProperty('context');
});

describe('the vector families', () => {
  let families: readonly Family[] = [];
  beforeAll(async () => {
    families = await allFamilies();
  });

  it('equal their definitions (`npm run vectors` writes them)', () => {
    const defined = new Map(families.map((family) => [family.family, familyText(family)]));
    const committed = committedFamilies();
    expect([...committed.keys()].sort()).toEqual([...defined.keys()].sort());
    expect([...defined].filter(([name, text]) => committed.get(name) !== text).map(([name]) => name)).toEqual([]);
  });

  it('give each test a unique id', () => {
    expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length);
  });

  it('cover every verification code but UNKNOWN_ERROR and those of logs', () => {
    const met = new Set(
      cases.flatMap(({ expected }) => [expected['code'], ...((expected['steps'] as string[] | undefined) ?? [])]),
    );
    // The vectors of log proofs are in packages/tlog, which no verifier without a log needs.
    const others = CER_VERIFY_CODES.filter((code) => !code.startsWith('LOG_'));
    expect(others.filter((code) => !met.has(code))).toEqual(['UNKNOWN_ERROR']);
  });

  it('contain more failures than passes', () => {
    const passing = cases.filter(({ expected }) => String(expected['status']).startsWith('VERIFIED'));
    expect(cases.length - passing.length).toBeGreaterThan(passing.length);
    expect(cases.length).toBeGreaterThanOrEqual(150);
  });

  it('cite existing headings of the specification', () => {
    const spec = readFileSync(join(__dirname, '../../../docs/spec.md'), 'utf8');
    const headings = new Set([...spec.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading));
    expect(cases.filter(({ heading }) => !headings.has(heading)).map(({ id }) => id)).toEqual([]);
    expect(cases.filter(({ rule }) => rule.length < 12).map(({ id }) => id)).toEqual([]);
  });
});
