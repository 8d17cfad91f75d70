import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { parseKeySet } from '@cer/keys';
import { JsonError, parseJson } from '@cer/canonical-json';
import { evaluateCer, evaluateProject } from '../src/verify.js';
import { committedCases } from './vectors/committed.js';
import type { LoadedCase } from './vectors/observe.js';

// All findings of each vector, with their sentences and in their order. `CER_WRITE_FINDINGS=1` writes them again; the
// difference is read as code is.
const FILE = join(__dirname, 'findings.json');
const VERIFIED_AT = '2026-07-01T00:00:00.000Z';

/** `CODE member: sentence`. */
type Findings = readonly string[];

async function findingsOf({ kind, options, bundle: text, keySet }: LoadedCase): Promise<Findings> {
  let bundle: unknown;
  try {
    bundle = parseJson(text);
  } catch (error) {
    if (error instanceof JsonError) return [];
    throw error;
  }
  const how = { verifiedAt: VERIFIED_AT, keySet: keySet === null ? null : parseKeySet(keySet), ...options };
  const { findings } = kind === 'cer' ? await evaluateCer(bundle, how) : await evaluateProject(bundle, how);
  return findings.map(({ code, member, detail }) => `${code} ${member}: ${detail}`);
}

const cases = committedCases();
if (process.env['CER_WRITE_FINDINGS'] === '1') {
  it('writes the findings', async () => {
    const found: Record<string, Findings> = {};
    for (const each of cases) {
      const findings = await findingsOf(each);
      if (findings.length > 0) found[each.id] = findings;
    }
    writeFileSync(FILE, `${JSON.stringify(found, null, 2)}\n`);
    expect(Object.keys(found).length).toBeGreaterThan(300);
  });
}

const recorded = JSON.parse(readFileSync(FILE, 'utf8')) as Readonly<Record<string, Findings>>;

it.each(cases)('the findings of $id are those recorded', async (vector) => {
  expect(await findingsOf(vector)).toEqual(recorded[vector.id] ?? []);
});

it('records no finding for a removed vector', () => {
  const known = new Set(cases.map(({ id }) => id));
  expect(Object.keys(recorded).filter((id) => !known.has(id))).toEqual([]);
});
