import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { svcV1, type JsonObject } from '@cer/canonical-json';
import { evaluateCer } from '../src/verify.js';

// Outputs of an implementation that shares no code with this one.
const folder = join(__dirname, '../vectors/independent');

interface CertificateVector {
  readonly name: string;
  readonly bundle: JsonObject;
  readonly hashedCanonical: string;
  readonly certificateHash: string;
}

function read(file: string): unknown {
  return JSON.parse(readFileSync(join(folder, file), 'utf8'));
}

const certificates = read('certificate-hashes.json') as { readonly vectors: readonly CertificateVector[] };

describe('bundles sealed by an independent implementation', () => {
  it.each(certificates.vectors)('$name', async ({ bundle, hashedCanonical }) => {
    const { certificateHash, ...others } = bundle;
    const hashed = Object.fromEntries(Object.entries(others).filter(([name]) => name !== 'meta'));
    expect(svcV1.canonicalize(hashed)).toBe(hashedCanonical);
    const evaluation = await evaluateCer(bundle, { verifiedAt: '2026-01-01T00:00:00.000Z' });
    expect(evaluation).toMatchObject({ status: 'VERIFIED', code: 'OK', computedCertificateHash: certificateHash });
  });
});
