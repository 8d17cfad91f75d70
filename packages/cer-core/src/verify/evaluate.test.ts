import { describe, expect, it } from '@jest/globals';
import { isJsonObject } from '@cer/canonical-json';
import { certified, CONFIDENTIAL_MEMBERS, sealed, testKeys, TEST_TIME } from '../testing/index.js';
import { evaluateCer } from './evaluate.js';
import { toNodeVerifyResponse, toReport } from './present.js';

const options = { keySet: testKeys(), verifiedAt: TEST_TIME };

describe('evaluateCer', () => {
  it('verifies a certified bundle in all three layers', async () => {
    const evaluation = await evaluateCer(await certified(), options);
    expect(toReport(evaluation, 'test/1')).toMatchObject({
      status: 'VERIFIED',
      checks: { bundleIntegrity: 'PASS', nodeSignature: 'PASS', receiptConsistency: 'PASS', envelope: 'PASS' },
      reasonCodes: [],
    });
    expect(toNodeVerifyResponse(evaluation)).toMatchObject({
      status: 'verified',
      reasonCode: 'OK',
      classification: 'VERIFIED',
    });
  });

  it('gives a confidential verdict only to attested bundles', async () => {
    await expect(evaluateCer(await certified(CONFIDENTIAL_MEMBERS), options)).resolves.toMatchObject({
      status: 'VERIFIED_CONFIDENTIAL',
      contentMode: 'HASH_BOUND',
    });
    await expect(evaluateCer(sealed(CONFIDENTIAL_MEMBERS).bundle, options)).resolves.toMatchObject({
      status: 'VERIFIED',
    });
  });

  it('refuses a signed bundle without keys of its node', async () => {
    await expect(evaluateCer(await certified(), { verifiedAt: TEST_TIME })).resolves.toMatchObject({
      status: 'FAILED',
      code: 'VERIFICATION_MATERIAL_UNAVAILABLE',
    });
  });

  it('names the missing keys before a malformed receipt', async () => {
    const bundle = await certified();
    const meta = isJsonObject(bundle['meta']) ? bundle['meta'] : {};
    const attestation = isJsonObject(meta['attestation']) ? meta['attestation'] : {};
    const receipt = isJsonObject(attestation['receipt']) ? attestation['receipt'] : {};
    const malformed = {
      ...bundle,
      meta: { ...meta, attestation: { ...attestation, receipt: { ...receipt, timestamp: 'yesterday' } } },
    };
    const { code, receipt: layer } = await evaluateCer(malformed, { verifiedAt: TEST_TIME });
    expect(code).toBe('VERIFICATION_MATERIAL_UNAVAILABLE');
    expect(layer).toMatchObject({ findings: [{ code }, { code: 'ATTESTATION_INVALID_SIGNATURE' }] });
    await expect(evaluateCer(malformed, options)).resolves.toMatchObject({ code: 'ATTESTATION_INVALID_SIGNATURE' });
  });

  it('shows tokens to the verifier of the caller alone', async () => {
    const bundle = await certified();
    const meta = isJsonObject(bundle['meta']) ? bundle['meta'] : {};
    const timestamped = { ...bundle, meta: { ...meta, timestamps: [{ type: 'rfc3161', token: 'AAAA' }] } };
    const timestamp = { covers: 'receipt', genTime: TEST_TIME, accuracy: 0, provider: 'an authority' } as const;
    const asked: string[] = [];
    const evaluation = await evaluateCer(timestamped, {
      ...options,
      timestamps: async ({ token }) => {
        asked.push(token);
        return { status: 'verified', ...timestamp };
      },
    });
    expect(asked).toEqual(['AAAA']);
    expect(evaluation.timestamps).toEqual([{ status: 'verified', ...timestamp }]);
    expect((await evaluateCer(timestamped, options)).timestamps).toEqual([{ status: 'not-checked' }]);
  });
});
