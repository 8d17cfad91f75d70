import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { parseKeySet } from '@cer/keys';
import { parseJson } from '@cer/canonical-json';
import { CER_VERIFY_CODES } from '../src/index.js';
import { evaluateCer } from '../src/verify.js';
import { allVectors, filesOf } from './vectors/all-vectors.js';
import { committedCases, committedFiles, committedNames } from './vectors/committed.js';
import { differences, observe } from './vectors/observe.js';
import type { Vector } from './vectors/vector.js';

const cases = committedCases();

describe('the committed vectors', () => {
  it.each(cases)('$name', async (vector) => {
    expect(differences(vector.expected, await observe(vector))).toEqual({});
  });
});

it('shows nothing of a context that the hash left out', async () => {
  const vector = cases.find(({ name }) => name === 'older-reseal-context-excluded');
  const { bundle, relaxations } = await evaluateCer(parseJson(vector?.bundleText ?? ''), {
    keySet: parseKeySet(vector?.keySet),
    verifiedAt: '2026-07-01T00:00:00.000Z',
  });
  expect(relaxations).toEqual(['context-excluded']);
  expect(bundle).toHaveProperty('contextSummary');
  expect(bundle).not.toHaveProperty('context');
});

describe('the vector folders', () => {
  let vectors: readonly Vector[] = [];
  beforeAll(async () => {
    vectors = await allVectors();
  });

  it('hold what their definitions say; `npm run vectors` writes them', () => {
    expect(new Set(vectors.map(({ name }) => name)).size).toBe(vectors.length);
    expect(committedNames()).toEqual(vectors.map(({ name }) => name).sort());
    const differing = vectors.filter((vector) => {
      const [committed, defined] = [committedFiles(vector.name), filesOf(vector)];
      return committed.size !== defined.size || [...defined].some(([file, text]) => committed.get(file) !== text);
    });
    expect(differing.map(({ name }) => name)).toEqual([]);
  });

  it('end in every code that a verification can end with, but the unforeseen', () => {
    const met = new Set(
      cases.flatMap(({ expected }) => [expected['code'], ...((expected['steps'] as string[] | undefined) ?? [])]),
    );
    expect(CER_VERIFY_CODES.filter((code) => !met.has(code))).toEqual(['UNKNOWN_ERROR']);
  });

  it('fail more often than they pass', () => {
    const passing = cases.filter(({ expected }) => String(expected['status']).startsWith('VERIFIED'));
    expect(cases.length - passing.length).toBeGreaterThan(passing.length);
    expect(cases.length).toBeGreaterThanOrEqual(150);
  });

  it('each cite a heading that the specification has', () => {
    const spec = readFileSync(join(__dirname, '../../../docs/spec.md'), 'utf8');
    const headings = new Set([...spec.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading));
    expect(cases.filter(({ case: { heading } }) => !headings.has(heading)).map(({ name }) => name)).toEqual([]);
    expect(cases.filter(({ case: { rule } }) => rule.length < 12).map(({ name }) => name)).toEqual([]);
  });
});
