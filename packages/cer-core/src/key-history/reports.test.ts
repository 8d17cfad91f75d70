import { describe, expect, it } from '@jest/globals';
import { testSigner } from '@cer/keys/testing';
import { toProjectReport, toProjectVerifyResponse } from '../project/present-project.js';
import { evaluateProject } from '../project/verify-project.js';
import { certified } from '../testing/fixtures.js';
import { TestKeyHistory } from '../testing/key-history.js';
import { evaluateCer } from '../verify/evaluate.js';
import { toNodeVerifyResponse, toReport, toStructuredResult } from '../verify/present.js';
import { verifyKeyHistory } from './verify.js';

async function optionsOf(history: TestKeyHistory): Promise<Parameters<typeof evaluateCer>[1]> {
  const { nodeId, rootFingerprint } = history;
  const result = await verifyKeyHistory(await history.signed(), {
    nodeId,
    rootFingerprint,
    highestSeen: null,
    at: null,
  });
  if (!result.accepted) throw new Error(result.findings[0].code);
  return { keySet: result.keySet, verifiedAt: '2026-03-01T00:00:00.000Z' };
}

const history = (): TestKeyHistory => new TestKeyHistory({ nodeId: 'node-test', signer: testSigner('active') });
const knownUntil = { revocationsKnownUntil: '2026-01-04T00:00:00.000Z' };

describe('results that rest on a key history', () => {
  it('report until when revocations are known', async () => {
    const options = await optionsOf(history());
    const bundle = await certified();
    for (const input of [bundle, { ...bundle, createdAt: '2026-01-01T00:00:00.000Z' }]) {
      const evaluation = await evaluateCer(input, options);
      expect(toReport(evaluation, 'test/1')).toMatchObject(knownUntil);
      expect(toStructuredResult(evaluation)).toMatchObject(knownUntil);
      expect(toNodeVerifyResponse(evaluation)).toMatchObject(knownUntil);
    }
  });

  it('report it for projects too', async () => {
    const evaluation = await evaluateProject({ bundleType: 'cer.project.bundle.v1' }, await optionsOf(history()));
    expect(toProjectReport(evaluation, 'test/1')).toMatchObject(knownUntil);
    expect(toProjectVerifyResponse(evaluation)).toMatchObject(knownUntil);
  });

  it('report nothing without a key history', async () => {
    const evaluation = await evaluateCer(await certified(), { keySet: null, verifiedAt: '2026-03-01T00:00:00.000Z' });
    expect(toReport(evaluation, 'test/1')).not.toHaveProperty('revocationsKnownUntil');
  });
});
