import type { JsonObject } from '@cer/canonical-json';
import { parseKeySet } from '@cer/keys';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { CER_VERIFY_CODES } from '../../src/index.js';
import { evaluateCer, type Evaluation, type VerifyOptions } from '../../src/verify.js';
import { absentTransparency, describeTransparency } from '../../src/verify/transparency.js';
import type { Transparency, TransparencyClaim } from '../../src/verify/transparency-verifier.js';
import * as forge from '../vectors/forge.js';

type Found = Omit<Transparency, 'detail'>;
type Code = NonNullable<Transparency['code']>;

const keySet = parseKeySet(forge.keySet());
const NOTHING = { origin: null, index: null, treeSize: null, loggedAfter: null, loggedBy: null, witnesses: [] };
const INCLUDED: Found = {
  ...{ status: 'included', code: null, origin: 'log.example', index: 3, treeSize: 9 },
  ...{ loggedAfter: null, loggedBy: forge.TIME, witnesses: ['one'] },
};
let certified: forge.JsonObject;

beforeAll(async () => {
  certified = await forge.attest(forge.seal(forge.v1({ appId: 'an app' })));
});

async function evaluated(bundle: JsonObject, options: Partial<VerifyOptions> = {}): Promise<Evaluation> {
  return evaluateCer(bundle, { keySet, verifiedAt: forge.TIME, ...options });
}

/** The claims that a verifier of proofs is asked to check, in their order. */
async function claimsOf(bundle: JsonObject): Promise<readonly TransparencyClaim[]> {
  const claims: TransparencyClaim[] = [];
  const { code } = await evaluated(bundle, {
    transparency: async (claim) => {
      claims.push(claim);
      return INCLUDED;
    },
  });
  expect(code).not.toBe('UNKNOWN_ERROR');
  return claims;
}

function inMeta(bundle: forge.JsonObject, logProofs: forge.Json): forge.JsonObject {
  return forge.change(bundle, 'meta.logProofs', logProofs);
}

const proof = (text: string, notBefore?: string): forge.JsonObject => ({
  proof: text,
  ...(notBefore !== undefined && { notBefore }),
});

describe('a log proof', () => {
  it('is about the receipt as it was signed', async () => {
    const attestation = forge.object(forge.at(certified, 'meta.attestation'));
    expect(await claimsOf(inMeta(certified, [proof('one', 'before')]))).toEqual([
      {
        proof: 'one',
        notBefore: 'before',
        receipt: attestation['receipt'],
        signature: attestation['signature'],
        signedAt: forge.TIME,
        label: { appId: 'an app', bundleType: 'cer.ai.execution.v1', kinds: ['certificate'] },
      },
    ]);
  });

  it('is read from each place once, in their order', async () => {
    const twice = inMeta(certified, [proof('one'), proof('two', 'before'), proof('one'), proof('two')]);
    const inAttestation = forge.change(twice, 'meta.attestation.logProofs', [proof('three'), proof('two', 'before')]);
    expect((await claimsOf(inAttestation)).map((claim) => [claim.proof, claim.notBefore])).toEqual([
      ['one', null],
      ['two', 'before'],
      ['two', null],
      ['three', null],
    ]);
  });

  it('is judged as no text where it has another type', async () => {
    const wrong = [7, { proof: 8, notBefore: 9 }, { notBefore: 'before' }];
    expect((await claimsOf(inMeta(certified, wrong))).map((claim) => [claim.proof, claim.notBefore])).toEqual([
      ['', null],
      ['', 'before'],
    ]);
    expect(await claimsOf(inMeta(certified, 'text'))).toEqual([]);
  });

  it('is one of at most eight', async () => {
    const proofs = Array.from({ length: 9 }, (_, at) => proof(`proof ${String(at)}`));
    expect((await claimsOf(inMeta(certified, proofs))).map((claim) => claim.proof)).toEqual(
      proofs.slice(0, 8).map((each) => each['proof']),
    );
  });

  it.each<readonly [string, string, forge.Json | undefined]>([
    ['without a receipt', 'meta.attestation.receipt', undefined],
    ['beside an object that is not a receipt', 'meta.attestation.receipt', {}],
    ['with a signature that is not a text', 'meta.attestation.signature', 7],
  ])('is not judged %s', async (_name, path, to) => {
    expect(await claimsOf(forge.change(inMeta(certified, [proof('one')]), path, to))).toEqual([]);
  });
});

describe('the label that a log proof must have', () => {
  const labelOf = async (bundle: forge.JsonObject): Promise<unknown> =>
    (await claimsOf(inMeta(bundle, [proof('one')])))[0]?.label;

  it('allows a renewed receipt where the bundle has earlier ones', async () => {
    const renewed = forge.change(certified, 'meta.attestationHistory', []);
    expect(await labelOf(renewed)).toMatchObject({ kinds: ['certificate', 'again'] });
    expect(await labelOf(forge.change(certified, 'meta.attestationHistory', 'text'))).toMatchObject({
      kinds: ['certificate'],
    });
  });

  it('has no app where the snapshot has none', async () => {
    expect(await labelOf(await forge.attest(forge.seal(forge.v1())))).toMatchObject({ appId: null });
    expect(await labelOf(forge.change(certified, 'snapshot', 'text'))).toMatchObject({ appId: null });
    expect(await labelOf(forge.change(certified, 'snapshot.appId', 7))).toMatchObject({ appId: null });
  });

  it('is of a hash alone', async () => {
    const bundle = await forge.attest(forge.hashOnly(), { envelope: false, receipt: { scope: 'hash-only' } });
    expect(await labelOf(bundle)).toEqual({ appId: null, bundleType: 'hash-only-timestamp', kinds: ['hash-only'] });
    expect(await labelOf(forge.change(bundle, 'meta.attestationHistory', []))).toMatchObject({
      kinds: ['hash-only', 'again'],
    });
  });

  it('is of a reseal, and open for its absent original', async () => {
    const reseal = await forge.reseal(forge.v1({ appId: 'an app' }));
    const original = forge.object(forge.at(reseal, 'meta.provenance.original'));
    const claims = await claimsOf(
      forge.change(inMeta(reseal, [proof('own')]), 'meta.provenance.original.logProofs', [proof('of the original')]),
    );
    expect(claims.map((claim) => [claim.proof, claim.label])).toEqual([
      ['own', { appId: 'an app', bundleType: 'signed-redacted-reseal', kinds: ['reseal'] }],
      ['of the original', { appId: null, bundleType: null, kinds: [] }],
    ]);
    expect(claims[1]).toMatchObject({ receipt: original['receipt'], signature: original['signature'] });
  });

  it('leaves an original without a receipt unjudged', async () => {
    const reseal = await forge.reseal(forge.v1());
    const path = 'meta.provenance.original';
    const broken = forge.change(forge.change(reseal, `${path}.receipt`, 'text'), `${path}.logProofs`, [proof('one')]);
    expect(await claimsOf(broken)).toEqual([]);
  });

  it("is the original's for proofs around a looked-up reseal", async () => {
    const reseal = await forge.reseal(forge.v1());
    const lookup = {
      cer: reseal,
      resealedCertificateHash: forge.textAt(reseal, 'certificateHash'),
      logProofs: [proof('around')],
    };
    expect((await claimsOf(lookup)).map((claim) => [claim.proof, claim.label.kinds])).toEqual([['around', []]]);
    const plain = { cer: reseal, logProofs: [proof('around')] };
    expect((await claimsOf(plain)).map((claim) => [claim.proof, claim.label.kinds])).toEqual([['around', ['reseal']]]);
  });
});

describe('what is reported of log proofs', () => {
  const found: Readonly<Record<string, Found>> = {
    included: INCLUDED,
    late: { ...INCLUDED, code: 'LOG_LATE' },
    label: { ...INCLUDED, status: 'invalid', code: 'LOG_LABEL_MISMATCH' },
    invalid: { ...NOTHING, status: 'invalid', code: 'LOG_INCLUSION_INVALID' },
    unknown: { ...NOTHING, status: 'unknown-log', code: 'LOG_UNKNOWN' },
  };
  const transparency = async (claim: TransparencyClaim): Promise<Found> => {
    const answer = found[claim.proof];
    if (answer === undefined) throw new Error('a parser failed');
    return answer;
  };
  const reported = async (...proofs: readonly string[]): Promise<Transparency> =>
    (
      await evaluated(
        inMeta(
          certified,
          proofs.map((each) => proof(each)),
        ),
        { transparency },
      )
    ).transparency;

  const ORDER = ['label', 'included', 'late', 'invalid', 'unknown'];
  it.each(ORDER.slice(1).map((worse, at) => [ORDER[at] ?? '', worse] as const))(
    'is %s rather than %s',
    async (better, worse) => {
      expect(await reported(better, worse)).toMatchObject({ ...found[better] });
      expect(await reported(worse, better)).toMatchObject({ ...found[better] });
    },
  );

  it('has a sentence where it has a code', async () => {
    expect((await reported('included')).detail).toBeNull();
    expect((await reported('unknown')).detail).toBe(describeTransparency('LOG_UNKNOWN'));
  });

  it('is a malformed proof where the verifier throws', async () => {
    const detail = describeTransparency('LOG_PROOF_MALFORMED');
    expect(await reported('hostile')).toEqual({ ...NOTHING, status: 'invalid', code: 'LOG_PROOF_MALFORMED', detail });
  });

  it('is their absence where there is none', async () => {
    const detail = describeTransparency('LOG_PROOF_MISSING');
    const absent = { ...NOTHING, status: 'absent', code: 'LOG_PROOF_MISSING', detail };
    expect(await reported()).toEqual(absent);
    const unsigned = await evaluated(forge.seal(forge.v1()), { transparency });
    expect(unsigned.transparency).toEqual(absent);
  });

  it('is nothing without a verifier', async () => {
    const notChecked = { ...NOTHING, status: 'not-checked', code: null, detail: null };
    const proven = inMeta(certified, [proof('included')]);
    expect((await evaluated(proven)).transparency).toEqual(notChecked);
    expect((await evaluated(proven, { transparency: null })).transparency).toEqual(notChecked);
    expect(absentTransparency({})).toEqual(notChecked);
  });
});

describe('the demand for a log', () => {
  const demanded = async (answer: Found | null): Promise<readonly unknown[]> => {
    const transparency = answer === null ? null : async (): Promise<Found> => answer;
    const { status, findings } = await evaluated(inMeta(certified, [proof('one')]), { transparency, requireLog: true });
    return [status, findings];
  };
  const unmet = (code: Code): readonly unknown[] => [
    'FAILED',
    [{ code, member: 'logProofs', detail: describeTransparency(code) }],
  ];

  it('is met by inclusion, late or not', async () => {
    expect(await demanded(INCLUDED)).toEqual(['VERIFIED', []]);
    expect(await demanded({ ...INCLUDED, code: 'LOG_LATE' })).toEqual(['VERIFIED', []]);
  });

  it('is not met by anything else', async () => {
    expect(await demanded({ ...NOTHING, status: 'invalid', code: 'LOG_BACKDATED' })).toEqual(unmet('LOG_BACKDATED'));
    expect(await demanded({ ...NOTHING, status: 'invalid', code: 'LOG_LATE' })).toEqual(unmet('LOG_UNKNOWN'));
    expect(await demanded(null)).toEqual(unmet('LOG_UNKNOWN'));
  });

  it('is not made where nothing asks for it', async () => {
    const transparency = async (): Promise<Found> => ({ ...NOTHING, status: 'invalid', code: 'LOG_BACKDATED' });
    const bundle = inMeta(certified, [proof('one')]);
    expect((await evaluated(bundle, { transparency })).status).toBe('VERIFIED');
    expect((await evaluated(bundle, { transparency, requireLog: false })).status).toBe('VERIFIED');
  });
});

it('the sentences on log proofs are those of the report', () => {
  const codes = CER_VERIFY_CODES.filter((code): code is Code => code.startsWith('LOG_'));
  expect(Object.fromEntries(codes.map((code) => [code, describeTransparency(code)]))).toEqual({
    LOG_PROOF_MISSING: 'has no proof that a transparency log holds the receipt',
    LOG_PROOF_MALFORMED: 'is not in the form of a proof, an opening or a checkpoint',
    LOG_UNKNOWN: 'is of a log that the policy does not name',
    LOG_SIGNATURE_INVALID: 'has a signature of a log or witness of the policy that does not verify',
    LOG_INCLUSION_INVALID: 'does not show this receipt at its place in the log',
    LOG_LABEL_MISMATCH: 'files the receipt under another time, app, type or kind than the certificate has',
    LOG_QUORUM_NOT_MET: 'has too few witnesses of the policy',
    LOG_TIME_CONFLICT: 'was witnessed before the time that the receipt states',
    LOG_BACKDATED: 'entered the log too late: the receipt was dated back, or kept out of the log',
    LOG_LATE: 'was witnessed late, and nothing shows that it was logged in time',
  });
});
