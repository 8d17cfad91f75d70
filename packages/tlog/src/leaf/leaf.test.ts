import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { jcsV1 } from '@cer/canonical-json';
import { commitLabel, commitReceipt, makeLeaf, receiptDigest, type LeafLabel } from './leaf.js';

const LABEL: LeafLabel = {
  appId: null,
  at: '2026-01-02T03:04:05.678Z',
  bundleType: 'cer.ai.execution.v1',
  kind: 'certificate',
  number: 7,
  tenant: `sha256:${'0'.repeat(64)}`,
};

describe('the HMAC of commitments', () => {
  it('equals that of Node.js for any messages and one-block keys', () => {
    const key = fc.uint8Array({ maxLength: 64 });
    const message = fc.uint8Array({ maxLength: 3000, size: 'max' });
    fc.assert(
      fc.property(key, message, (salt, digest) => {
        expect(Buffer.from(commitReceipt(salt, digest))).toEqual(createHmac('sha256', salt).update(digest).digest());
      }),
    );
  });

  it('refuses a longer key', () => {
    expect(() => commitReceipt(new Uint8Array(65), new Uint8Array(32))).toThrow(RangeError);
  });

  it('equals that of Node.js for labels of any script', () => {
    const appId = fc.string({ unit: 'grapheme', maxLength: 1500, size: 'max' });
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), appId, (salt, text) => {
        const label: LeafLabel = { ...LABEL, appId: text };
        const expected = createHmac('sha256', salt).update(jcsV1.canonicalize(label)).digest();
        expect(Buffer.from(commitLabel(salt, label))).toEqual(expected);
      }),
    );
  });

  it('derives the salts of successive leaves from their seeds', () => {
    const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });
    fc.assert(
      fc.property(bytes, bytes, (seed, digest) => {
        const { receiptSalt, tenantSalt, receiptCommitment } = makeLeaf(seed, digest, LABEL);
        const saltOf = (name: string) => createHmac('sha256', seed).update(`["svc.log-leaf.v1","${name}"]`).digest();
        expect(Buffer.from(receiptSalt)).toEqual(saltOf('receipt'));
        expect(Buffer.from(tenantSalt)).toEqual(saltOf('tenant'));
        expect(Buffer.from(receiptCommitment)).toEqual(createHmac('sha256', receiptSalt).update(digest).digest());
      }),
    );
  });
});

describe('the digest of a receipt', () => {
  it('is the SHA-256 of its text, whatever its length', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 1500, size: 'max' }), (signature) => {
        const text = jcsV1.canonicalize({ receipt: {}, signature });
        expect(Buffer.from(receiptDigest({}, signature))).toEqual(createHash('sha256').update(text).digest());
      }),
    );
  });
});
