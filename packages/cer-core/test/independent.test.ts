import type { JsonObject } from '@cer/canonical-json';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInThisContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { evaluateCer, sha256, svcV1 } from '../src/index.js';

// Outputs of an implementation that shares no code with this one.
const folder = join(__dirname, '../vectors/independent');

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

interface CertificateVector {
  readonly name: string;
  readonly bundle: JsonObject;
  readonly hashedCanonical: string;
  readonly certificateHash: string;
}

function read(file: string): unknown {
  return JSON.parse(readFileSync(join(folder, file), 'utf8'));
}

const canonicalizations = read('canonicalization.json') as { readonly vectors: readonly CanonicalVector[] };
const certificates = read('certificate-hashes.json') as { readonly vectors: readonly CertificateVector[] };

describe('svc-v1 against an independent implementation', () => {
  it.each(canonicalizations.vectors)('$name', ({ jsExpression, expected }) => {
    // Some of these values do not exist in JSON text, so the file holds expressions.
    const value: unknown = runInThisContext(jsExpression);
    if (expected.error !== undefined) {
      expect(() => svcV1.canonicalize(value)).toThrow(expect.objectContaining({ code: 'CANONICALIZATION_ERROR' }));
      return;
    }
    const text = svcV1.canonicalize(value);
    expect(text).toBe(expected.canonical);
    expect(Buffer.from(text).toString('hex')).toBe(expected.utf8Hex);
    expect(sha256(text)).toBe(expected.sha256);
  });
});

describe('bundles sealed by an independent implementation', () => {
  it.each(certificates.vectors)('$name', async ({ bundle, hashedCanonical }) => {
    const { certificateHash, ...others } = bundle;
    const hashed = Object.fromEntries(Object.entries(others).filter(([name]) => name !== 'meta'));
    expect(svcV1.canonicalize(hashed)).toBe(hashedCanonical);
    const evaluation = await evaluateCer(bundle, { verifiedAt: '2026-01-01T00:00:00.000Z' });
    expect(evaluation).toMatchObject({ status: 'VERIFIED', code: 'OK', computedCertificateHash: certificateHash });
  });
});
