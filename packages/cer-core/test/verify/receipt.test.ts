import type { JsonObject } from '@cer/canonical-json';
import { parseKeySet } from '@cer/keys';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { evaluateCer, type Evaluation, type VerifyOptions } from '../../src/verify.js';
import * as forge from '../vectors/forge.js';

const RECEIPT = 'meta.attestation.receipt';
const SIGNATURE = 'meta.attestation.signature';
const ORIGINAL = 'meta.provenance.original';
const COPY = 'is a copy that differs from the signed value';
const keySet = parseKeySet(forge.keySet());
const PASS = { status: 'PASS' };
let receipted: forge.JsonObject;
let resealed: forge.JsonObject;

beforeAll(async () => {
  receipted = await forge.attest(forge.seal(forge.v1()), { envelope: false });
  resealed = await forge.reseal(forge.v1());
});

async function evaluated(bundle: JsonObject, options: Partial<VerifyOptions> = {}): Promise<Evaluation> {
  return evaluateCer(bundle, { keySet, verifiedAt: forge.TIME, ...options });
}

async function findingsOf(bundle: JsonObject, options: Partial<VerifyOptions> = {}): Promise<readonly unknown[]> {
  const { receipt } = await evaluated(bundle, options);
  return receipt.status === 'FAIL' ? receipt.findings : [receipt.status];
}

function invalid(member: string, detail: string, hashes: object = {}): object {
  return { code: 'ATTESTATION_INVALID_SIGNATURE', member, detail, ...hashes };
}

async function signedOver(bundle: forge.JsonObject, receipt: forge.JsonObject): Promise<forge.JsonObject> {
  return forge.change(bundle, 'meta.attestation', { receipt, signature: await forge.sign(forge.ACTIVE, receipt) });
}

describe('the receipt layer', () => {
  it('is skipped where nothing is attested', async () => {
    expect((await evaluated(forge.seal(forge.v1()))).receipt).toEqual({ status: 'SKIPPED', reason: 'no-attestation' });
  });

  it('passes with both of its halves', async () => {
    expect(await evaluated(receipted)).toMatchObject({ receipt: PASS, nodeSignature: PASS, receiptConsistency: PASS });
  });

  it('refuses a receipt without canonical form', async () => {
    const lone = forge.change(receipted, `${RECEIPT}.nodeId`, '\ud800');
    expect(await findingsOf(lone, { keySet: keySet })).toContainEqual(
      invalid(SIGNATURE, 'belongs to a receipt without canonical form'),
    );
  });

  it('shows both hashes where it is about another certificate', async () => {
    const other = forge.hashText('another');
    const signed = forge.textAt(receipted, 'certificateHash');
    const found = invalid(`${RECEIPT}.certificateHash`, 'names another certificate', {
      expected: other,
      computed: signed,
    });
    const changed = forge.change(receipted, 'certificateHash', other);
    expect((await findingsOf(changed))[0]).toStrictEqual(found);
    const untyped = invalid(`${RECEIPT}.certificateHash`, 'names another certificate', { computed: signed });
    expect((await findingsOf(forge.change(receipted, 'certificateHash', 7)))[0]).toStrictEqual(untyped);
  });

  it('judges a bundle of an unknown type by its receipt alone', async () => {
    const unknown = await forge.attest(forge.seal({ ...forge.v1(), bundleType: 'unknown' }), { envelope: false });
    const originals = forge.change(unknown, 'meta.provenance', { original: {} });
    expect((await evaluated(originals)).receipt).toEqual(PASS);
    expect((await evaluated({ cer: originals, createdAt: 'another time' })).receipt).toEqual(PASS);
  });
});

describe('a copy of what the receipt signs', () => {
  it.each(['kid', 'nodeId', 'certificateHash', 'attestedAt'])('of %s is refused with another type', async (name) => {
    const changed = forge.change(receipted, `meta.attestation.${name}`, 7);
    expect(await findingsOf(changed)).toStrictEqual([invalid(`meta.attestation.${name}`, COPY)]);
  });

  it("of the protocol equals the snapshot's, known or not", async () => {
    const unknown = await forge.attest(forge.seal(forge.v1({ protocolVersion: '9.9.9' })), { envelope: false });
    const member = 'meta.attestation.protocolVersion';
    expect(await findingsOf(unknown)).toEqual(['PASS']);
    expect(await findingsOf(forge.change(unknown, member, '1.2.0'))).toStrictEqual([invalid(member, COPY)]);
  });

  it.each(['originalCertificateHash', 'redactionPolicy'])('of %s counts for reseals alone', async (name) => {
    const member = `meta.attestation.${name}`;
    expect(await findingsOf(forge.change(resealed, member, 'other'))).toStrictEqual([invalid(member, COPY)]);
    expect(await findingsOf(forge.change(receipted, member, 'other'))).toEqual(['PASS']);
  });

  it.each(['originalCertificateHash', 'redactionPolicy'])('of %s may be absent in the provenance', async (name) => {
    const member = `meta.provenance.${name}`;
    expect(await findingsOf(forge.change(resealed, member, undefined))).toEqual(['PASS']);
    expect(await findingsOf(forge.change(resealed, member, 'other'))).toStrictEqual([invalid(member, COPY)]);
  });

  it('may be the createdAt of a package around a full bundle or a hash', async () => {
    const hashOnly = await forge.attest(forge.hashOnly(), { envelope: false, receipt: { scope: 'hash-only' } });
    for (const cer of [receipted, hashOnly]) {
      expect(await findingsOf({ cer, createdAt: forge.TIME })).toEqual(['PASS']);
      expect(await findingsOf({ cer, createdAt: null })).toEqual(['PASS']);
      expect(await findingsOf({ cer, createdAt: 'later' })).toStrictEqual([
        invalid('package.createdAt', 'differs from createdAt'),
      ]);
    }
  });
});

describe('the original of a reseal', () => {
  const withOriginal = (name: string, to: forge.Json | undefined): forge.JsonObject =>
    forge.change(resealed, `${ORIGINAL}.${name}`, to);
  const noReceipt = [invalid(`${ORIGINAL}.receipt`, 'is not a receipt with a signature')];

  it('is verified', async () => {
    expect(await findingsOf(resealed)).toEqual(['PASS']);
    expect(await findingsOf(withOriginal('signature', 'AAAA'))).toStrictEqual([
      invalid(`${ORIGINAL}.signature`, 'is not valid for this text under this key'),
    ]);
  });

  it.each<readonly [string, forge.Json | undefined]>([
    ['receipt', 'text'],
    ['receipt', {}],
    ['receipt', undefined],
    ['signature', undefined],
  ])('needs its %s, and not %p', async (name, to) => {
    expect(await findingsOf(withOriginal(name, to))).toStrictEqual(noReceipt);
  });

  it('has a receipt over a full certificate', async () => {
    const receipt = { ...forge.object(forge.at(resealed, `${ORIGINAL}.receipt`)), scope: 'hash-only' };
    const original = { receipt, signature: await forge.sign(forge.ACTIVE, receipt) };
    expect(await findingsOf(forge.change(resealed, ORIGINAL, original))).toStrictEqual([
      invalid(`${ORIGINAL}.receipt`, 'is not the receipt of the original that this reseal names'),
    ]);
  });

  it('may repeat its hash', async () => {
    expect(await findingsOf(withOriginal('certificateHash', undefined))).toEqual(['PASS']);
    expect(await findingsOf(withOriginal('certificateHash', forge.hashText('another')))).toStrictEqual([
      invalid(`${ORIGINAL}.certificateHash`, 'differs from its receipt'),
    ]);
  });

  it('has its own timestamps', async () => {
    const asked: string[] = [];
    const timestamps: VerifyOptions['timestamps'] = async ({ token }) => {
      asked.push(token);
      return { status: 'not-checked' };
    };
    await evaluated(withOriginal('timestamps', [{ type: 'rfc3161', token: 'of the original' }]), { timestamps });
    expect(asked).toEqual(['of the original']);
  });

  it('is not judged without keys or outside a reseal', async () => {
    expect((await evaluated(withOriginal('receipt', 'text'), { keySet: null })).receiptConsistency).toEqual(PASS);
    expect(await findingsOf(forge.change(receipted, 'meta.provenance', { original: {} }))).toEqual(['PASS']);
  });

  it('is not a receipt of another scope', async () => {
    const receipt = forge.pick(forge.object(forge.at(resealed, RECEIPT)), [
      ...['certificateHash', 'timestamp', 'nodeId', 'kid'],
    ]);
    expect((await findingsOf(await signedOver(resealed, receipt)))[0]).toStrictEqual(
      invalid(`${RECEIPT}.scope`, 'is of another scope than this bundle type needs'),
    );
  });
});
