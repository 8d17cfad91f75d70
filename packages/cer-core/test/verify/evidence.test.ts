import type { JsonObject } from '@cer/canonical-json';
import { describe, expect, it } from '@jest/globals';
import { collectEvidence } from '../../src/verify/evidence.js';

const RECEIPT = { certificateHash: 'hash', timestamp: 'time', nodeId: 'node', kid: 'key' };
const differs = (member: string, other: string): object => ({
  code: 'ATTESTATION_INVALID_SIGNATURE',
  member,
  detail: `differs from ${other}`,
});
const attested = (attestation: JsonObject): JsonObject => ({ bundleType: 'a type', meta: { attestation } });

describe('the evidence on a bundle', () => {
  it('may be beside its members too', () => {
    const bundle = { receipt: RECEIPT, signature: 'one', attestation: { signature: 'two' } };
    const evidence = collectEvidence(bundle, null);
    expect(evidence).toMatchObject({ isPresent: true, receipt: RECEIPT, signature: 'one', original: null });
    expect(evidence.disagreements).toEqual([differs('attestation.signature', 'signature')]);
    expect(evidence.copies).toEqual([{ path: 'attestation.', members: { signature: 'two' } }]);
    expect(evidence.timestampPlaces).toEqual([null, null, null]);
  });

  it('has one receipt and signature, at any place', () => {
    const bundle = { ...attested({ receipt: RECEIPT, signature: 'one' }), receipt: {}, signatureB64Url: 'two' };
    expect(collectEvidence(bundle, null).disagreements).toEqual([
      differs('receipt', 'meta.attestation.receipt'),
      differs('signatureB64Url', 'meta.attestation.signature'),
    ]);
  });

  it('is absent where nothing of it is there', () => {
    expect(collectEvidence({ meta: {} }, null)).toMatchObject({ isPresent: false, receipt: null, attestation: null });
  });
});

describe('the evidence of a package', () => {
  it('may be in its attestation', () => {
    const attestation = { receipt: RECEIPT, signature: 'one', kid: 'key' };
    const packaging = { attestation };
    const evidence = collectEvidence({ bundleType: 'a type' }, packaging);
    expect(evidence).toMatchObject({ isPresent: true, receipt: RECEIPT, signature: 'one', attestation });
    expect(evidence.copies).toEqual([
      { path: 'package.attestation.', members: attestation },
      { path: 'package.', members: packaging },
    ]);
    expect(evidence.timestampPlaces).toEqual([null, null, packaging]);
    expect(evidence.disagreements).toEqual([]);
  });

  it('is compared with that of the bundle', () => {
    const bundle = attested({ receipt: RECEIPT, signature: 'one', signatureB64Url: 'one', kid: 'key' });
    const attestation = { receipt: {}, signature: 'two', kid: 'other' };
    const evidence = collectEvidence(bundle, { attestation, signatureB64Url: 'three', kid: 'another' });
    expect(evidence.disagreements).toEqual([
      differs('package.attestation.receipt', 'meta.attestation.receipt'),
      differs('package.signatureB64Url', 'meta.attestation.signature'),
      differs('package.attestation.signature', 'meta.attestation.signature'),
      differs('package.attestation.kid', 'meta.attestation.kid'),
      differs('package.kid', 'meta.attestation.kid'),
    ]);
    expect(evidence.copies.map(({ path }) => path)).toEqual(['meta.attestation.', 'package.attestation.', 'package.']);
  });

  it("may omit the bundle's members and date itself", () => {
    const bundle = attested({ receipt: RECEIPT, signature: 'one', kid: 'key', timestamp: { token: 'a' } });
    const packaging = { kid: null, attestation: { kid: null, timestamp: { token: 'b' } }, timestamp: 'now' };
    expect(collectEvidence(bundle, packaging).disagreements).toEqual([]);
  });
});

describe('the lookup of a reseal', () => {
  const original = { certificateHash: 'original', receipt: RECEIPT, signature: 'one' };
  const reseal = {
    bundleType: 'signed-redacted-reseal',
    certificateHash: 'reseal',
    meta: { provenance: { original }, attestation: { signature: 'two' } },
  };
  const LOOKUP = { resealedCertificateHash: 'reseal' };
  const right: JsonObject = {
    ...LOOKUP,
    ...{ kid: 'key', attestorKeyId: 'key', nodeId: 'node', attestedAt: 'time', issuedAt: 'time' },
    ...{ certificateHash: 'original', receipt: RECEIPT, signature: 'one', signatureB64Url: 'one' },
    attestation: { kid: 'key', attestorKeyId: 'key', nodeId: 'node', attestedAt: 'time', certificateHash: 'original' },
  };

  it('has around it what is signed of the original', () => {
    const evidence = collectEvidence(reseal, right);
    expect(evidence.disagreements).toEqual([]);
    expect(evidence).toMatchObject({ signature: 'two', receipt: null, original });
    expect(evidence.copies.map(({ path }) => path)).toEqual(['meta.attestation.']);
    expect(evidence.timestampPlaces).toEqual([reseal.meta, reseal.meta.attestation, null]);
  });

  it.each(Object.keys(right).filter((name) => name !== 'attestation' && name !== 'resealedCertificateHash'))(
    'has no other %s around it',
    (name) => {
      const found = collectEvidence(reseal, { ...LOOKUP, [name]: 'other' }).disagreements;
      expect(found).toEqual([differs(`package.${name}`, `meta.provenance.original.${name}`)]);
    },
  );

  it.each(['kid', 'attestorKeyId', 'nodeId', 'attestedAt', 'issuedAt', 'certificateHash'])(
    'has no other %s in the attestation around it',
    (name) => {
      const found = collectEvidence(reseal, { ...LOOKUP, attestation: { [name]: 'other' } }).disagreements;
      const member = `attestation.${name}`;
      expect(found).toEqual([differs(`package.${member}`, `meta.provenance.original.${member}`)]);
    },
  );

  it('is of this reseal, and of a reseal', () => {
    const wrong = [differs('package.resealedCertificateHash', 'certificateHash')];
    expect(collectEvidence(reseal, { resealedCertificateHash: 'other' }).disagreements).toEqual(wrong);
    expect(collectEvidence({ bundleType: 'a type', certificateHash: 'reseal' }, LOOKUP).disagreements).toEqual(wrong);
  });
});
