import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isJsonObject, type JsonObject } from '@cer/canonical-json';
import { sha256 } from '@cer/cer-core';
import { buildProject } from '@cer/cer-core/seal';
import { evaluateProject } from '@cer/cer-core/verify';
import {
  CONFIDENTIAL_MEMBERS,
  executionRequest,
  sealed,
  TEST_NODE_ID,
  TEST_SIGNER,
  testKeys,
} from '@cer/cer-core/testing';

import { ask, at, objectAt, textAt, type Answer } from './ask.js';
import { sealedElsewhere } from './sealed-elsewhere.js';
import { startTestNode, VERIFY_URL, type TestNode } from './test-node.js';

let node: TestNode;
let key: string;

beforeAll(async () => {
  node = await startTestNode();
  key = await node.newKey('owner');
});
afterAll(() => node.close());

const register = (body: unknown, as = key): Promise<Answer> =>
  ask(node, 'post', '/v1/project-bundle/register', { key: as, body });
const verify = (bundle: unknown): Promise<Answer> =>
  ask(node, 'post', '/v1/project-bundle/verify', { body: { bundle } });
const publicForm = (hash: string): Promise<Answer> =>
  ask(node, 'get', `/v1/project-bundle/public?project_hash=${encodeURIComponent(hash)}`);
const evaluated = (project: unknown): ReturnType<typeof evaluateProject> =>
  evaluateProject(project, { keySet: testKeys(), verifiedAt: new Date().toISOString() });

async function step(members: JsonObject = {}, as = key): Promise<JsonObject> {
  const body = executionRequest({ executionId: randomUUID(), ...members });
  const certified = await ask(node, 'post', '/v1/cer/ai/certify', { key: as, body });
  const cer = objectAt(certified.body, 'cer');
  if (!isJsonObject(cer)) throw new Error('no bundle');
  return cer;
}

async function project(bundles: readonly JsonObject[], info: JsonObject = {}): Promise<JsonObject> {
  return buildProject(
    { projectBundleId: randomUUID(), projectTitle: 'A project', ...info },
    bundles.map((bundle, index) => ({ stepId: `step-${index}`, bundle })),
  );
}
const hashOf = (bundle: JsonObject): string => textAt(bundle, 'integrity', 'projectHash');

describe('registering a project', () => {
  it('returns the documented members and replays them', async () => {
    const bundle = await project([await step(), await step(CONFIDENTIAL_MEMBERS)]);
    const projectHash = hashOf(bundle);
    const { status, headers, body, text } = await register(bundle);
    const registeredAt = textAt(body, 'registeredAt');
    const kid = TEST_SIGNER.kid;
    expect([status, headers['x-idempotent-replay']]).toEqual([200, undefined]);
    expect(body).toEqual({
      ...{ ok: true, projectHash, registeredAt, totalSteps: 2 },
      receipt: { projectHash, registeredAt, nodeId: TEST_NODE_ID, kid },
      ...{ signature: expect.stringMatching(/^[\w-]{86}$/), kid },
      verificationUrl: `${VERIFY_URL}/p/${encodeURIComponent(projectHash)}`,
    });
    for (const again of [
      bundle,
      { bundle },
      { ...bundle, meta: { attestation: 'theirs' }, receipt: {}, signature: 's' },
    ]) {
      const replayed = await register(again);
      expect([replayed.text, replayed.headers['x-idempotent-replay']]).toEqual([text, 'true']);
    }
  });

  it('creates one registration from concurrent requests', async () => {
    const bundle = await project([await step()]);
    const answers = await Promise.all(Array.from({ length: 20 }, () => register(bundle)));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers['x-idempotent-replay'] === undefined)).toHaveLength(1);
  });

  it('requires full records of the caller for all steps', async () => {
    const foreign = await step({}, await node.newKey());
    const { bundle: unattested } = sealed({ executionId: randomUUID() });
    const hashOnly = sealed({ executionId: randomUUID() }).bundle;
    const submitted = {
      ...{ bundleType: 'hash-only-timestamp', version: '0.1', createdAt: null, snapshot: null },
      certificateHash: hashOnly['certificateHash'],
    };
    expect((await ask(node, 'post', '/api/attest', { key, body: submitted })).status).toBe(200);
    const { status, body } = await register(await project([await step(), foreign, unattested, hashOnly]));
    expect([status, at(body, 'error')]).toEqual([400, 'ATTESTATION_MISSING']);
    const hashes = [foreign, unattested, hashOnly].map((bundle) => textAt(bundle, 'certificateHash'));
    expect(at(body, 'missingSteps')).toEqual(
      hashes.map((certificateHash, at) => ({ index: at + 1, stepId: `step-${at + 1}`, certificateHash })),
    );
    expect(at(body, 'details')).toEqual(
      hashes.map(
        (hash, at) =>
          `stepRegistry[${at + 1}]: step step-${at + 1} (${hash}) is not a certified record of this account: ` +
          'attest it (POST /api/attest-batch, or cer register-project --attest-steps), then register',
      ),
    );
  });

  it('registers a local project once its steps are attested', async () => {
    const local = await project([sealed({ executionId: randomUUID() }).bundle, await step()]);
    const refused = await register(local);
    expect(at(refused.body, 'missingSteps')).toMatchObject([{ index: 0, stepId: 'step-0' }]);
    const line = `${JSON.stringify(at(local, 'embeddedBundles', 'step-0'))}\n`;
    const headers = { 'Content-Type': 'application/x-ndjson' };
    expect((await ask(node, 'post', '/api/attest-batch', { key, body: line, headers })).status).toBe(200);
    expect((await register(local)).status).toBe(200);
  });

  it('takes steps as deep as attest does', async () => {
    const nested = (value: JsonObject): string =>
      JSON.stringify(value).replace('"NEST"', '['.repeat(127) + ']'.repeat(127));
    const deep: JsonObject = { ...sealed({ executionId: randomUUID() }).bundle, extra: 'NEST' };
    expect((await ask(node, 'post', '/api/attest', { key, body: nested(deep) })).status).toBe(200);
    const local = await project([deep]);
    const answer = await register(nested(local));
    expect([answer.status, at(answer.body, 'projectHash')]).toEqual([200, hashOf(local)]);
  });

  it('requires every step embedded completely', async () => {
    const attest = (body: JsonObject): Promise<Answer> => ask(node, 'post', '/api/attest', { key, body });
    const chained = sealedElsewhere({ snapshot: { prevStepHash: sha256('another step') } });
    const certificateHash = textAt((await attest(chained)).body, 'certificateHash');
    const form = { bundleType: 'hash-only-timestamp', version: '0.1', createdAt: null, snapshot: null };
    const hashOnly = at((await attest({ ...form, certificateHash })).body, 'cer');
    if (!isJsonObject(hashOnly)) throw new Error('no bundle');
    const bundle = await project([await step(), hashOnly]);
    expect((await verify(bundle)).body).toMatchObject({
      ...{ ok: false, code: 'INCOMPLETE_ARTIFACT', passedSteps: 1, attestedSteps: 1 },
      errors: ['INCOMPLETE_ARTIFACT: step step-1: bundleType is a hash alone: a step needs its whole certificate'],
    });
    const { status, body } = await register(bundle);
    expect([status, at(body, 'error'), at(body, 'details')]).toEqual([
      ...[400, 'INCOMPLETE_ARTIFACT'],
      ['step-1: bundleType is a hash alone: a step needs its whole certificate'],
    ]);
  });

  it('accepts hidden steps and refuses deleted ones', async () => {
    const [hidden, deleted] = [await step(), await step()];
    await node.store.records.setVisibility(textAt(hidden, 'certificateHash'), 'hidden');
    await node.store.records.setVisibility(textAt(deleted, 'certificateHash'), 'deleted');
    expect((await register(await project([hidden]))).status).toBe(200);
    expect(at((await register(await project([deleted]))).body, 'error')).toBe('ATTESTATION_MISSING');
  });

  // The second is large enough for a thread.
  it.each([{}, { projectSummary: 'x'.repeat(300 * 1024) }])('replays it after a step was deleted', async (info) => {
    const [kept, deleted] = [await step(), await step()];
    const bundle = await project([kept, deleted], info);
    const first = await register(bundle);
    await node.store.records.setVisibility(textAt(deleted, 'certificateHash'), 'deleted');
    const again = await register(bundle);
    expect([again.status, again.text, again.headers['x-idempotent-replay']]).toEqual([200, first.text, 'true']);
    const foreign = await register(bundle, await node.newKey());
    expect(at(foreign.body, 'error')).toBe('ATTESTATION_MISSING');
  });

  it.each<[string, (bundle: JsonObject) => unknown, string]>([
    ['another title', (bundle) => ({ ...bundle, projectTitle: 'canary' }), 'PROJECT_HASH_MISMATCH'],
    ['a missing bundle', (bundle) => ({ ...bundle, embeddedBundles: {} }), 'STEP_REGISTRY_MISMATCH'],
    ['no registry', (bundle) => ({ ...bundle, stepRegistry: 'canary' }), 'PROJECT_HASH_MISMATCH'],
    ['another type', (bundle) => ({ ...bundle, bundleType: 'canary' }), 'PROJECT_HASH_MISMATCH'],
    ['no object', () => [], 'VALIDATION_ERROR'],
    ['nothing', () => ({}), 'VALIDATION_ERROR'],
    ['text', () => '"canary"', 'VALIDATION_ERROR'],
  ])('is 400: %s', async (_name, change, error) => {
    const { status, body, text } = await register(change(await project([await step()])));
    expect([status, at(body, 'error')]).toEqual([400, error]);
    expect(text).not.toContain('canary');
  });

  it('is 400 for a project in another body', async () => {
    const bundle = await project([await step()]);
    for (const body of [{ bundle: { bundle } }, { ...bundle, bundle }, { bundle: { ...bundle, bundle } }]) {
      const answer = await register(body);
      expect([answer.status, at(answer.body, 'error')]).toEqual([400, 'VALIDATION_ERROR']);
    }
  });

  it('is 400 with the code of the failed step', async () => {
    const bundle = await project([await step()]);
    const embedded = objectAt(bundle, 'embeddedBundles', 'step-0');
    const tampered = { ...embedded, snapshot: { ...objectAt(embedded, 'snapshot'), model: 'canary' } };
    const { status, body, text } = await register({ ...bundle, embeddedBundles: { 'step-0': tampered } });
    expect([status, at(body, 'error')]).toEqual([400, 'CERTIFICATE_HASH_MISMATCH']);
    expect(text).not.toContain('canary');
  });
});

describe('the public form of a project', () => {
  it('verifies and has only hashed members', async () => {
    const bundle = await project([await step({ metadata: { m: 'canary' } }), await step(CONFIDENTIAL_MEMBERS)]);
    const registered = await register({ ...bundle, extra: 'canary', steps: undefined });
    const { status, body, text } = await publicForm(hashOf(bundle));
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ...objectAt(registered.body),
      integrity: bundle['integrity'],
      stepRegistry: bundle['stepRegistry'],
      meta: { attestation: { receipt: at(registered.body, 'receipt'), signature: at(registered.body, 'signature') } },
    });
    expect(at(body, 'withdrawn')).toBeUndefined();
    expect(at(body, 'embeddedBundles', 'step-1', 'bundleType')).toBe('signed-redacted-reseal');
    expect(text).not.toContain('canary');
    expect(text).not.toContain(textAt(CONFIDENTIAL_MEMBERS, 'prompt'));
    expect(await evaluated(body)).toMatchObject({ status: 'VERIFIED', nodeReceipt: { status: 'PASS' }, findings: [] });
    expect((await verify(body)).body).toMatchObject({
      ok: true,
      passedSteps: 2,
      attestedSteps: 2,
      nodeReceipt: 'PASS',
    });
  });

  it('lists withdrawn steps and still verifies', async () => {
    const steps = [await step(), await step(), await step()];
    const bundle = await project(steps);
    await register(bundle);
    await node.store.records.setVisibility(textAt(steps[0], 'certificateHash'), 'hidden');
    await node.store.records.setVisibility(textAt(steps[2], 'certificateHash'), 'deleted');
    const { body } = await publicForm(hashOf(bundle));
    expect(at(body, 'withdrawn')).toEqual(['step-0', 'step-2']);
    expect(Object.keys(objectAt(body, 'embeddedBundles'))).toEqual(['step-1']);
    expect((await verify(body)).body).toMatchObject({
      ...{ ok: true, code: 'OK', totalSteps: 3, passedSteps: 1, failedSteps: 0 },
      steps: [{ status: 'WITHDRAWN', code: 'INCOMPLETE_ARTIFACT' }, { status: 'VERIFIED' }, { status: 'WITHDRAWN' }],
    });
  });

  it('is the same 404 when hidden, deleted or unknown', async () => {
    const [hidden, deleted] = [await project([await step()]), await project([await step()])];
    for (const bundle of [hidden, deleted]) await register(bundle);
    await node.store.projects.setVisibility(hashOf(hidden), 'hidden');
    await node.store.projects.setVisibility(hashOf(deleted), 'deleted');
    for (const hash of [hashOf(hidden), hashOf(deleted), sha256('unknown')]) {
      const { status, headers, body } = await publicForm(hash);
      expect(status).toBe(404);
      expect(body).toEqual({
        error: 'NOT_FOUND',
        reasonCode: 'RECORD_NOT_FOUND',
        requestId: headers['x-request-id'],
      });
    }
    const again = await register(deleted);
    expect([again.status, at(again.body, 'error')]).toEqual([409, 'RECORD_REMOVED']);
    for (const query of ['', '?project_hash=x', `?project_hash=${hashOf(hidden)}&projectHash=${hashOf(hidden)}`]) {
      expect((await ask(node, 'get', `/v1/project-bundle/public${query}`)).status).toBe(400);
    }
  });
});

describe('verifying a project', () => {
  it('accepts any step and returns the documented members', async () => {
    const bundle = await project([sealed({ executionId: 'a' }).bundle, await step({ executionId: 'b' })]);
    const { status, body } = await verify(bundle);
    expect(status).toBe(200);
    expect(body).toEqual({
      ...{ ok: true, code: 'OK', errors: [] },
      projectHash: { submitted: hashOf(bundle), computed: hashOf(bundle), valid: true },
      ...{ structuralValid: true, totalSteps: 2, passedSteps: 2, failedSteps: 0, attestedSteps: 1 },
      steps: ['a', 'b'].map((executionId, sequence) => ({
        ...{ stepId: `step-${sequence}`, sequence, executionId },
        certificateHash: at(bundle, 'stepRegistry', sequence, 'certificateHash'),
        ...{ ok: true, status: 'VERIFIED', code: 'OK', errors: [] },
      })),
      nodeReceipt: 'SKIPPED',
    });
  });

  it('compares what is beside the bundle with its receipt', async () => {
    const bundle = await project([await step()]);
    const { body: answer } = await register(bundle);
    const around = { bundle, receipt: at(answer, 'receipt'), signature: at(answer, 'signature') };
    const verdictOn = async (body: object): Promise<unknown> =>
      at((await ask(node, 'post', '/v1/project-bundle/verify', { body })).body, 'nodeReceipt');
    expect(await verdictOn(around)).toBe('PASS');
    expect(await verdictOn({ ...around, kid: 'another' })).toBe('FAIL');
  });

  it('is 200 with a verdict, 400 for other bodies', async () => {
    const failing = await verify({});
    expect(failing.status).toBe(200);
    expect(at(failing.body, 'ok')).toBe(false);
    const wrapped = await project([await step()]);
    expect(at((await verify({ bundle: wrapped })).body, 'ok')).toBe(false);
    const bare = await ask(node, 'post', '/v1/project-bundle/verify', { body: wrapped });
    expect([bare.status, bare.body]).toEqual([200, (await verify(wrapped)).body]);
    for (const body of [
      { ...wrapped, bundle: wrapped },
      {},
      [],
      { bundle: null },
      { bundle: [] },
      '{"bundle":{},"bundle":{}}',
    ]) {
      const answer = await ask(node, 'post', '/v1/project-bundle/verify', { body });
      expect([answer.status, at(answer.body, 'error')]).toEqual([400, 'VALIDATION_ERROR']);
    }
  });
});
