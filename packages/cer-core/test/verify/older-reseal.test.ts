import { parseKeySet } from '@cer/keys';
import { describe, expect, it } from '@jest/globals';
import { evaluateCer, type Evaluation, type VerifyOptions } from '../../src/verify.js';
import { isLabelledOlderReseal } from '../../src/verify/subject.js';
import { reportTimestamp } from '../../src/verify/reported-timestamp.js';
import * as forge from '../vectors/forge.js';

const WITHOUT_CONTEXT = ['bundleType', 'version', 'createdAt', 'snapshot', 'contextSummary'];
const RESEALED = { kind: 'redacted_reseal' };
const keySet = parseKeySet(forge.keySetWith({ contextUnprotectedBefore: '2026-06-01T00:00:00Z' }));

async function evaluated(bundle: forge.JsonObject, options: Partial<VerifyOptions> = {}): Promise<Evaluation> {
  return evaluateCer(bundle, { keySet, verifiedAt: forge.TIME, ...options });
}

/** A v1 bundle that calls itself a reseal, hashed over these members. */
async function labelled(bundle: forge.JsonObject, hashed?: readonly string[]): Promise<forge.JsonObject> {
  return forge.change(await forge.attest(forge.seal(bundle, hashed)), 'meta.provenance', RESEALED);
}

describe('the label of an older reseal', () => {
  const v1 = (meta: forge.Json): forge.JsonObject => ({ bundleType: 'cer.ai.execution.v1', meta });

  it('is in the provenance or in the attestation', () => {
    expect(isLabelledOlderReseal(v1({ provenance: RESEALED }))).toBe(true);
    expect(isLabelledOlderReseal(v1({ attestation: { mode: 'redacted_reseal' } }))).toBe(true);
  });

  it.each<readonly [string, forge.JsonObject]>([
    ['another type', { ...v1({ provenance: RESEALED }), bundleType: 'cer.ai.execution.v2' }],
    ['meta that is not an object', v1('text')],
    ['another kind', v1({ provenance: { kind: 'other' } })],
    ['another mode', v1({ attestation: { mode: 'other' } })],
    ['neither', v1({})],
  ])('is not read from %s', (_name, bundle) => {
    expect(isLabelledOlderReseal(bundle)).toBe(false);
  });
});

describe('an older reseal', () => {
  const context = { context: { signals: [] } };

  it('is verified unchanged when its hash is right', async () => {
    const whole = await labelled(forge.v1({}, context));
    expect(await evaluated(whole)).toMatchObject({ status: 'VERIFIED', isResealed: true, relaxations: [] });
    expect((await evaluated(whole)).envelope).toEqual({ status: 'PASS' });
  });

  it('is verified without its context, skipping its envelope', async () => {
    const found = await evaluated(await labelled(forge.v1({}, context), WITHOUT_CONTEXT));
    expect(found).toMatchObject({ status: 'VERIFIED', relaxations: ['context-excluded'], supplemental: true });
    expect(found.envelope).toEqual({ status: 'SKIPPED', reason: 'redacted' });
    expect(found.bundle).not.toHaveProperty('context');
    expect(found.computedCertificateHash).toBe(found.certificateHash);
  });

  it('is not where anything but the hash is wrong', async () => {
    const broken = await labelled(forge.v1({ model: 7 }, context), WITHOUT_CONTEXT);
    const found = await evaluated(broken);
    expect(found).toMatchObject({ status: 'FAILED', code: 'SCHEMA_ERROR', relaxations: [] });
    expect(found.findings.map(({ code }) => code)).toContain('CERTIFICATE_HASH_MISMATCH');
    expect(found.bundle).toHaveProperty('context');
  });

  it('is not where the content is another one', async () => {
    const changed = forge.change(await labelled(forge.v1({}, context), WITHOUT_CONTEXT), 'snapshot.model', 'other');
    expect(await evaluated(changed)).toMatchObject({ code: 'CERTIFICATE_HASH_MISMATCH', relaxations: [] });
    const bare = forge.change(await labelled(forge.v1()), 'snapshot.model', 'other');
    expect(await evaluated(bare)).toMatchObject({ code: 'CERTIFICATE_HASH_MISMATCH', relaxations: [] });
  });

  it('has no reading where its type is unknown', async () => {
    const found = await evaluated(await labelled(forge.v1()), { bundleTypes: new Map() });
    expect(found).toMatchObject({ status: 'FAILED', isResealed: false, receipt: { status: 'PASS' } });
  });
});

it('an unknown layout of the type is an unsupported version', async () => {
  const { findings } = await evaluated(await forge.reseal(forge.v1({ type: 'unknown' })));
  expect(findings[0]).toEqual({
    code: 'SCHEMA_ERROR',
    member: 'snapshot.type',
    detail: 'names no layout that this bundle type has',
    reason: 'SCHEMA_VERSION_UNSUPPORTED',
  });
});

describe('the time of a report', () => {
  const PASS = { status: 'PASS' } as const;
  const SKIPPED = { status: 'SKIPPED', reason: 'no-attestation' } as const;

  it('is the first of the external timestamps', () => {
    const timestamp = { covers: 'receipt', genTime: forge.TIME, accuracy: 0, provider: 'an authority' } as const;
    const invalid = { status: 'invalid', detail: 'why' } as const;
    expect(reportTimestamp([{ status: 'not-checked' }], PASS)).toStrictEqual({
      type: 'rfc3161',
      status: 'not-checked',
    });
    expect(reportTimestamp([invalid, { status: 'not-checked' }], PASS)).toEqual({ type: 'rfc3161', ...invalid });
    expect(reportTimestamp([{ status: 'verified', ...timestamp }], SKIPPED)).toEqual({
      ...{ type: 'rfc3161', status: 'verified', covers: 'receipt', provider: 'an authority', genTime: forge.TIME },
    });
  });

  it('else is that of the receipt', () => {
    expect(reportTimestamp([], PASS)).toEqual({ type: 'node-issued', status: 'verified' });
    expect(reportTimestamp([], SKIPPED)).toBeNull();
    expect(reportTimestamp([], null)).toBeNull();
  });
});
