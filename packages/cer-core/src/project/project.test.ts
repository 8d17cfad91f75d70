import type { JsonObject } from '@cer/canonical-json';
import { describe, expect, it } from '@jest/globals';
import { attestProject } from '../attest/attest.js';
import { isSha256Hash, sha256 } from '../hash.js';
import { certified, sealed, testKeys, TEST_ATTESTOR, TEST_TIME } from '../testing/index.js';
import { buildProject } from './build-project.js';
import { toProjectReport, toProjectVerifyResponse } from './present-project.js';
import { computeProjectHash } from './project-hash.js';
import { evaluateProject } from './verify-project.js';

const options = { keySet: testKeys(), verifiedAt: TEST_TIME };

async function twoSteps(): Promise<JsonObject> {
  return buildProject({ projectTitle: 'Two steps', tags: ['a'] }, [
    { stepId: 'ask', bundle: await certified() },
    {
      stepId: 'answer',
      bundle: sealed({ executionId: 'exec-2' }).bundle,
      registryMembers: { stepLabel: 'Answer', parentStepIds: ['ask'] },
    },
  ]);
}

describe('a project that was built', () => {
  it('has a registry in order, its hash, and verifies', async () => {
    const project = await twoSteps();
    expect(project).toMatchObject({
      bundleType: 'cer.project.bundle.v1',
      totalSteps: 2,
      stepRegistry: [
        { stepId: 'ask', sequence: 0, executionId: 'exec-1' },
        { stepId: 'answer', sequence: 1, executionId: 'exec-2', stepLabel: 'Answer' },
      ],
      integrity: { algorithm: 'sha256-canonical-json', projectHash: computeProjectHash(project) },
    });
    const evaluation = await evaluateProject(project, options);
    expect(toProjectVerifyResponse(evaluation)).toMatchObject({
      ok: true,
      code: 'OK',
      errors: [],
      projectHash: { valid: true, submitted: computeProjectHash(project), computed: computeProjectHash(project) },
      structuralValid: true,
      totalSteps: 2,
      passedSteps: 2,
      failedSteps: 0,
      attestedSteps: 1,
      nodeReceipt: 'SKIPPED',
      steps: [
        { stepId: 'ask', sequence: 0, ok: true, status: 'VERIFIED', code: 'OK', errors: [] },
        { stepId: 'answer', sequence: 1, executionId: 'exec-2', ok: true },
      ],
    });
    expect(toProjectReport(evaluation, 'test/1')).toMatchObject({
      status: 'VERIFIED',
      checks: { bundleIntegrity: 'PASS', nodeSignature: 'SKIPPED', receiptConsistency: 'SKIPPED', envelope: 'SKIPPED' },
      reasonCodes: [],
      certificateHash: null,
      projectHash: computeProjectHash(project),
    });
  });

  it('verifies from the saved response of its registration', async () => {
    const project = await twoSteps();
    const projectHash = computeProjectHash(project);
    const registered = await attestProject(projectHash, TEST_TIME, TEST_ATTESTOR);
    const inMeta = { ...project, meta: { attestation: registered } };
    await expect(evaluateProject(inMeta, options)).resolves.toMatchObject({
      status: 'VERIFIED',
      registeredAt: TEST_TIME,
    });
    const beside = { ...project, ...registered, projectHash, registeredAt: TEST_TIME };
    await expect(evaluateProject(beside, options)).resolves.toMatchObject({ nodeReceipt: { status: 'PASS' } });
  });

  it('cannot be built from a step without a hash', () => {
    expect(() => buildProject({}, [{ stepId: 'a', bundle: { snapshot: {} } }])).toThrow(
      expect.objectContaining({ code: 'INVALID_SHA256_FORMAT', path: 'steps[0].certificateHash' }),
    );
  });

  it('names each failing step with both hashes', async () => {
    const project = await twoSteps();
    const embedded = project['embeddedBundles'] as Readonly<Record<string, JsonObject>>;
    const changed = {
      ...project,
      embeddedBundles: { ...embedded, answer: { ...embedded['answer'], createdAt: '2020-01-01T00:00:00Z' } },
    };
    const response = toProjectVerifyResponse(await evaluateProject(changed, options));
    expect(response).toMatchObject({ ok: false, code: 'CERTIFICATE_HASH_MISMATCH', passedSteps: 1, failedSteps: 1 });
    expect(response.errors).toEqual(response.steps[1]?.errors.map((error) => error.replace(': ', ': step answer: ')));
    expect(response.steps[1]?.errors[0]).toMatch(
      /^CERTIFICATE_HASH_MISMATCH: certificateHash .*expected sha256:.*computed sha256:/,
    );
  });

  it('hashes its registry and not its embedded bundles', async () => {
    const project = await twoSteps();
    expect(computeProjectHash({ ...project, embeddedBundles: {} })).toBe(computeProjectHash(project));
    expect(computeProjectHash({ ...project, projectGoal: 'x' })).not.toBe(computeProjectHash(project));
    expect(computeProjectHash({ ...project, tags: [] })).toBe(computeProjectHash({ ...project, tags: 'no list' }));
    expect(isSha256Hash(computeProjectHash(project))).toBe(true);
  });
});

describe('a project that is not whole', () => {
  const hashOnly = (bundle: JsonObject): JsonObject => ({
    ...{ bundleType: 'hash-only-timestamp', version: '0.1', createdAt: TEST_TIME, snapshot: null },
    certificateHash: bundle['certificateHash'] ?? null,
  });
  const registered = async (bundles: readonly JsonObject[]): Promise<JsonObject> => {
    const project = buildProject(
      {},
      bundles.map((bundle, index) => ({ stepId: `s${index}`, bundle })),
    );
    const attestation = await attestProject(computeProjectHash(project), TEST_TIME, TEST_ATTESTOR);
    return { ...project, meta: { attestation } };
  };

  it('is whole only with a receipt for every step', async () => {
    const [signed, unsigned] = [await certified(), sealed({ executionId: 'exec-2' }).bundle];
    const whole = await registered([signed, await certified({ executionId: 'exec-2' })]);
    const stripped = await registered([signed, unsigned]);
    const withdrawn = { ...whole, embeddedBundles: {}, withdrawn: ['s0', 's1'] };
    const results = await Promise.all([whole, stripped, withdrawn].map((project) => evaluateProject(project, options)));
    expect(results.map(({ status, isWhole }) => [status, isWhole])).toEqual([
      ['VERIFIED', true],
      ['VERIFIED', false],
      ['VERIFIED', false],
    ]);
    expect(results.map((result) => toProjectReport(result, 'test/1'))).toMatchObject([
      { totalSteps: 2, passedSteps: 2, attestedSteps: 2 },
      { totalSteps: 2, passedSteps: 2, attestedSteps: 1 },
      { totalSteps: 2, passedSteps: 0, attestedSteps: 0 },
    ]);
  });

  it('counts a bare hash as neither passed nor attested', async () => {
    const bundle = await certified();
    const project = await registered([bundle]);
    const answer = await evaluateProject({ ...project, embeddedBundles: { s0: hashOnly(bundle) } }, options);
    expect(toProjectVerifyResponse(answer)).toMatchObject({
      ...{ ok: false, code: 'INCOMPLETE_ARTIFACT', passedSteps: 0, attestedSteps: 0, nodeReceipt: 'PASS' },
    });
  });

  it('names a missing step once when artefacts are required', async () => {
    const bundle = await certified();
    const project = { ...(await registered([bundle])), embeddedBundles: { s0: hashOnly(bundle) } };
    const { steps } = await evaluateProject(project, { ...options, requireFullArtifact: true });
    expect(steps[0]?.findings.map(({ code }) => code)).toEqual(['INCOMPLETE_ARTIFACT', 'ATTESTATION_MISSING']);
  });
});

describe('a large project', () => {
  const steps = Array.from({ length: 600 }, (_, index) => ({
    stepId: `s${index}`,
    bundle: sealed({ executionId: `exec-${index}` }).bundle,
  }));

  /** Length of the answer to a project whose entries all name one bundle of `faults` faults, as a hostile one may. */
  async function answerTo({ faults = 0, entries = 1, stepId = 's' }): Promise<number> {
    const { bundle } = sealed({ prevStepHash: sha256('before') });
    const faulty = { ...bundle, certificateHash: 'x'.repeat(faults), context: { signals: Array(faults).fill({}) } };
    const stepRegistry = Array.from({ length: entries }, () => ({ stepId, certificateHash: sha256('another') }));
    const project = { ...(await twoSteps()), stepRegistry, embeddedBundles: { [stepId]: faulty } };
    return JSON.stringify(toProjectVerifyResponse(await evaluateProject(project, options))).length;
  }

  it('lists the faults of a step once, however often it is registered', async () => {
    const small = await answerTo({ faults: 200, entries: 200 });
    expect((await answerTo({ faults: 800, entries: 800 })) / small).toBeLessThan(4.6);
  });

  it('cuts a long step id in front of each fault', async () => {
    const small = await answerTo({ faults: 200, stepId: 's'.repeat(2_000) });
    expect((await answerTo({ faults: 800, stepId: 's'.repeat(8_000) })) / small).toBeLessThan(4.6);
  });

  it('reports progress in batches', async () => {
    const progress: [number, number][] = [];
    const { status } = await evaluateProject(buildProject({}, steps), {
      ...options,
      onProgress: (...at) => void progress.push(at),
    });
    expect(status).toBe('VERIFIED');
    expect(progress).toEqual([
      [256, 600],
      [512, 600],
      [600, 600],
    ]);
  });

  it('survives a hostile chain of parents', async () => {
    const stepRegistry = Array.from({ length: 50_000 }, (_, index) => ({
      stepId: `s${index}`,
      certificateHash: sha256(`${index}`),
      parentStepIds: index === 0 ? ['s49999'] : [`s${index - 1}`],
    }));
    const project = { bundleType: 'cer.project.bundle.v1', totalSteps: 50_000, stepRegistry, embeddedBundles: {} };
    await expect(evaluateProject(project, options)).resolves.toMatchObject({ status: 'FAILED' });
  });
});
