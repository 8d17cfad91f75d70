import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInThisContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { svcV1 } from '../src/index.js';

// Outputs of an implementation that shares no code with this one.
const file = join(__dirname, '../vectors/canonicalization.json');

interface CanonicalVector {
  readonly name: string;
  readonly jsExpression: string;
  readonly expected: {
    readonly canonical?: string;
    readonly utf8Hex?: string;
    readonly sha256?: string;
    readonly error?: string;
  };
}

const { vectors } = JSON.parse(readFileSync(file, 'utf8')) as { readonly vectors: readonly CanonicalVector[] };

describe('svc-v1 against an independent implementation', () => {
  it.each(vectors)('$name', ({ jsExpression, expected }) => {
    // Some of these values do not exist in JSON text, so the file holds expressions.
    const value: unknown = runInThisContext(jsExpression);
    if (expected.error !== undefined) {
      expect(() => svcV1.canonicalize(value)).toThrow(expect.objectContaining({ code: 'NO_CANONICAL_FORM' }));
      return;
    }
    const text = svcV1.canonicalize(value);
    expect(text).toBe(expected.canonical);
    expect(Buffer.from(text).toString('hex')).toBe(expected.utf8Hex);
    expect(`sha256:${createHash('sha256').update(text).digest('hex')}`).toBe(expected.sha256);
  });
});
