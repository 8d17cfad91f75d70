import type { JsonObject } from '@cer/canonical-json';
import { parseKeySet } from '@cer/keys';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { evaluateCer, type Evaluation } from '../../src/verify.js';
import * as forge from '../vectors/forge.js';

const ENVELOPE = 'meta.verificationEnvelope';
const FACTS = ['attestationId', 'attestedAt', 'kid', 'nodeRuntimeHash', 'protocolVersion'];
const keySet = parseKeySet(forge.keySet());
let certified: forge.JsonObject;

beforeAll(async () => {
  certified = await forge.attest(forge.seal(forge.v1()));
});

const evaluated = async (bundle: JsonObject, keys = keySet): Promise<Evaluation> =>
  evaluateCer(bundle, { keySet: keys, verifiedAt: forge.TIME });
const envelopeOf = async (bundle: JsonObject, keys = keySet) => (await evaluated(bundle, keys)).envelope;
const failed = (member: string, detail: string, code = 'ATTESTATION_INVALID_SIGNATURE'): object => ({
  status: 'FAIL',
  findings: [{ code, member, detail }],
});

describe('the envelope layer', () => {
  it('needs no copy of the kid', async () => {
    expect(await envelopeOf(forge.change(certified, `${ENVELOPE}.kid`, undefined))).toEqual({ status: 'PASS' });
    expect(await envelopeOf(forge.change(certified, `${ENVELOPE}.kid`, 'other'))).toMatchObject(
      failed(`${ENVELOPE}.kid`, 'differs from the signed kid'),
    );
  });

  it.each(FACTS)('refuses a %s that is not a text', async (name) => {
    const both = forge.change(certified, `${ENVELOPE}.attestation.${name}`, 7);
    expect(await envelopeOf(forge.change(both, `meta.attestation.${name}`, 7))).toMatchObject(
      failed(`${ENVELOPE}.attestation`, `must have exactly ${FACTS.join(', ')}`),
    );
  });

  it('fails as a signature under an unknown key', async () => {
    const others = parseKeySet(forge.keySet([{ signer: forge.OTHER }]));
    expect(await envelopeOf(certified, others)).toMatchObject(
      failed(ENVELOPE, 'names a key that is not in the key set'),
    );
  });

  it('fails for want of keys without a key set', async () => {
    const { envelope } = await evaluateCer(certified, { verifiedAt: forge.TIME });
    const detail = 'no key set of the node was given, so no signature was checked';
    expect(envelope).toMatchObject(failed(ENVELOPE, detail, 'VERIFICATION_MATERIAL_UNAVAILABLE'));
  });
});

describe('what the envelope repeats', () => {
  it('is compared with the receipt without an attestation copy', async () => {
    const bare = forge.change(
      forge.change(certified, 'meta.attestation.kid', undefined),
      'meta.attestation.attestedAt',
      undefined,
    );
    expect(await envelopeOf(bare)).toEqual({ status: 'PASS' });
    const signed = forge.pick(forge.object(forge.at(certified, 'meta.attestation')), ['receipt', 'signature']);
    expect(await envelopeOf(forge.change(certified, 'meta.attestation', signed))).toMatchObject(
      failed(`${ENVELOPE}.attestation.attestationId`, 'differs from the attestation'),
    );
  });

  it('is compared with a complete legacy receipt', async () => {
    const facts = forge.object(forge.at(certified, `${ENVELOPE}.attestation`));
    const receipt = {
      ...forge.without(facts, 'kid'),
      receiptVersion: '1',
      attestorKeyId: forge.ACTIVE.kid,
      certificateHash: forge.textAt(certified, 'certificateHash'),
      nodeId: forge.NODE_ID,
      timestampType: 'node-issued',
    };
    const attestation = { receipt, signature: await forge.sign(forge.ACTIVE, receipt) };
    const legacy = forge.change(certified, 'meta.attestation', attestation);
    expect(await evaluated(legacy)).toMatchObject({ status: 'VERIFIED', envelope: { status: 'PASS' } });
  });

  it('is the protocol of a flat record itself', async () => {
    const record = forge.flatRender({ bundleType: 'legacy', protocolVersion: '1.3.0' });
    const flat = await forge.attest(record, { facts: { protocolVersion: '1.3.0' } });
    expect(await envelopeOf(forge.change(flat, 'meta.attestation.protocolVersion', '1.3.0'))).toEqual({
      status: 'PASS',
    });
  });
});

describe('an envelope is not checked', () => {
  const skipped = (reason: string): object => ({ status: 'SKIPPED', reason });
  const withEnvelope = (bundle: forge.JsonObject): forge.JsonObject => ({
    ...bundle,
    meta: {
      ...forge.object(bundle['meta'] ?? {}),
      ...forge.pick(forge.object(certified['meta']), ['verificationEnvelope', 'verificationEnvelopeSignature']),
    },
  });

  it('where there is none', async () => {
    expect(await envelopeOf(await forge.attest(forge.seal(forge.v1()), { envelope: false }))).toEqual(
      skipped('no-envelope'),
    );
  });

  it('in a reseal, known layout or not', async () => {
    expect(await envelopeOf(withEnvelope(await forge.reseal(forge.v1())))).toEqual(skipped('redacted'));
    const unknown = await forge.reseal(forge.v1({ type: 'unknown' }));
    expect(await envelopeOf(withEnvelope(unknown))).toEqual(skipped('redacted'));
  });

  it('where hashed members are marked as redacted', async () => {
    const redacted = await forge.attest(forge.seal(forge.v1({ note: '[REDACTED]' })));
    expect(await envelopeOf(redacted)).toEqual(skipped('redacted'));
  });

  it('but is in a bundle of an unknown type', async () => {
    const unknown = await forge.attest(forge.seal({ ...forge.v1(), bundleType: 'unknown' }));
    expect(await envelopeOf(unknown)).toEqual({ status: 'PASS' });
  });
});
