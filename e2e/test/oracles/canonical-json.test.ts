import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, jcsV1, JsonError, parseJson, svcV1, type JsonObject } from '@cer/canonical-json';
import { afterAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { canonicalize } from 'json-canonicalize';
import { hasPython } from '../../../scripts/python.mjs';
import { jsonTexts } from './json-texts.js';
import { answersOf, mutated, mutations, oracleRuns, OutcomeCounts } from './oracle.js';

// Strict parsing and canonical forms against json-canonicalize and the parser and writer in clients/python.

const MAX_DEPTH = 128;
/** Texts per process of Python. */
const BATCH = 2000;

const { seed, numRuns } = oracleRuns(4000);
const counts = new OutcomeCounts();
const others = new OutcomeCounts();
afterAll(() => {
  counts.report('JSON: clients/python', seed);
  others.report('JSON: json-canonicalize', seed);
});

const texts = fc.oneof(
  jsonTexts.map((text) => Buffer.from(text)),
  fc.tuple(jsonTexts, mutations).map(([text, changes]) => mutated(Buffer.from(text), changes)),
);

/** The compared result: a refusal with its code and path, or both canonical forms. */
function ours(text: Buffer): JsonObject {
  const form = (canonical: () => string): string | JsonObject => {
    try {
      return canonical();
    } catch (error) {
      if (error instanceof JsonError) return { path: error.path };
      throw error;
    }
  };
  try {
    const value = parseJson(text, { maxDepth: MAX_DEPTH });
    return { svc: form(() => svcV1.canonicalize(value)), jcs: form(() => jcsV1.canonicalize(value)) };
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    // The depth of text that is not JSON may be found before or after that.
    return error.rule.startsWith('nested deeper') ? { refused: 'depth' } : { refused: error.code, path: error.path };
  }
}

function byPython(batch: readonly Buffer[]): readonly unknown[] {
  const texts64 = batch.map((text) => text.toString('base64'));
  return answersOf('python3', [join(__dirname, 'canonical.py'), String(MAX_DEPTH)], texts64);
}

describe('a text', () => {
  it('is parsed and written as in Python', () => {
    if (!hasPython()) {
      process.stderr.write('Not compared with clients/python: there is no Python 3.9 or later.\n');
      return;
    }
    for (let done = 0; done < numRuns; done += BATCH) {
      const batch = fc.sample(texts, { numRuns: Math.min(BATCH, numRuns - done), seed: seed + done });
      const answers = byPython(batch);
      for (const [at, text] of batch.entries()) {
        const mine = ours(text);
        const theirs = asObject(answers[at]);
        const named = { text: text.toString('base64') };
        const isAlike =
          mine['refused'] === 'depth' ? theirs['refused'] !== undefined : isDeepStrictEqual(mine, { ...theirs });
        if (!isAlike) expect({ ...named, ...mine }).toEqual({ ...named, ...theirs });
        counts.add(typeof mine['refused'] === 'string' ? `refused by both: ${mine['refused']}` : 'written alike');
      }
    }
    expect(counts.of('written alike')).toBeGreaterThan(0);
  });

  it('is written as json-canonicalize writes it', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const mine = ours(text);
        if (mine['refused'] !== undefined) return;
        const theirs = canonicalize(parseJson(text, { maxDepth: MAX_DEPTH }));
        expect(mine['svc']).toBe(theirs);
        // A known fault of theirs: a lone surrogate has no form in RFC 8785, and they write one.
        const isLone = /\\ud[89a-f]/.test(theirs) && isJsonObject(mine['jcs']);
        if (!isLone) expect(mine['jcs']).toBe(theirs);
        others.add(isLone ? 'refused here, a fault there' : 'written alike');
      }),
      { numRuns, seed },
    );
  });
});

function asObject(value: unknown): JsonObject {
  if (!isJsonObject(value)) throw new Error('The program in Python answered with something other than an object.');
  return value;
}
