import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isJsonObject, type JsonObject } from '@cer/canonical-json';
import { buildProject } from '@cer/cer-core/seal';
import { evaluateProject } from '@cer/cer-core/verify';
import { CONFIDENTIAL_MEMBERS, executionRequest, testKeys } from '@cer/cer-core/testing';
import { Secret } from '@cer/http-service/config';
import { postgresTestDatabase, sqliteTestDatabase } from '@cer/sql-store/testing';

import { createAuditLog } from '../../src/audit-log/audit-log.js';
import { sweep } from '../../src/retention/sweep.js';
import { ask, at, objectAt, textAt, type Answer } from '../ask.js';
import { startTestNode, type TestNode } from '../test-node.js';
import { zipFiles } from '../zip-files.js';

const SECRET = 'a secret of the test node';
const headers = { 'x-admin-secret': SECRET };
const UNKNOWN = `sha256:${'0'.repeat(64)}`;
const NOW = new Date('2024-06-30T12:00:00.000Z');
const LONG_BEFORE = new Date('2024-01-01T00:00:00.000Z');
const RETENTION_DAYS = 30;

/** A certified execution and its publicly known values. */
interface Known {
  readonly request: JsonObject;
  readonly executionId: string;
  readonly hash: string;
  readonly resealedHash: string;
  readonly cer: JsonObject;
}

describe.each([
  ['SQLite', sqliteTestDatabase],
  ['PostgreSQL', postgresTestDatabase],
] as const)('withdrawn records in responses on %s', (_name, makeDatabase) => {
  let node: TestNode;
  let key: string;
  let tenantId: string;
  let clock = NOW;

  beforeAll(async () => {
    node = await startTestNode({
      database: await makeDatabase(),
      replace: () => ({ adminSecret: new Secret(SECRET), now: () => clock }),
    });
    key = await node.newKey('owner');
    ({ tenantId } = await node.store.tenants.createTenant('owner'));
    const body = { retentionDays: RETENTION_DAYS };
    await ask(node, 'post', `/v1/admin/tenants/${tenantId}/settings`, { headers, body });
  });
  afterAll(async () => {
    await node.close();
    await node.database.remove();
  });

  const admin = (path: string): Promise<Answer> => ask(node, 'post', `/v1/admin/${path}`, { headers });
  const certify = (body: JsonObject): Promise<Answer> => ask(node, 'post', '/v1/cer/ai/certify', { key, body });

  async function certified(members: JsonObject = {}): Promise<Known> {
    const executionId = textAt({ executionId: `canary-${randomUUID()}`, ...members }, 'executionId');
    // The application's label, the model and the prompt are content; the reseal withholds the prompt.
    const request = executionRequest({
      ...CONFIDENTIAL_MEMBERS,
      ...{ model: `model-of-${executionId}`, appId: `app-of-${executionId}`, ...members, executionId },
    });
    const { status, body } = await certify(request);
    expect(status).toBe(200);
    const cer = objectAt(body, 'cer');
    if (!isJsonObject(cer)) throw new Error('no bundle');
    const hash = textAt(body, 'certificateHash');
    const shown = await ask(node, 'get', `/v1/cer/public?certificate_hash=${hash}`);
    return { request, executionId, hash, resealedHash: textAt(shown.body, 'resealedCertificateHash'), cer };
  }

  async function certifiedLongBefore(): Promise<Known> {
    clock = LONG_BEFORE;
    try {
      return await certified();
    } finally {
      clock = NOW;
    }
  }

  const swept = (): Promise<number> =>
    sweep(
      {
        store: node.store,
        auditLog: createAuditLog({ audit: node.store.audit, signing: node.deps.signing, now: () => NOW }),
        now: () => NOW,
      },
      new AbortController().signal,
    );

  /** Every route that could return a record to the public or its owner. */
  async function answersAbout({ hash, resealedHash, executionId }: Known): Promise<Answer[]> {
    const paths = [hash, resealedHash].flatMap((each) => [
      `/v1/cer/public?certificate_hash=${each}`,
      `/v1/cer/public?certificateHash=${encodeURIComponent(each)}`,
      `/api/public-cer-proof?certificate_hash=${each}`,
    ]);
    const byId = `/v1/cer/public?execution_id=${executionId}`;
    const resolved = await ask(node, 'get', `/v1/resolve/cer/${hash}`);
    expect(resolved.status).toBe(302);
    paths.push(byId, resolved.headers['location'] ?? '');
    const answers = await Promise.all(paths.map((path) => ask(node, 'get', path)));
    return [...answers, await ask(node, 'get', byId, { key })];
  }

  /** Responses do not distinguish a withdrawn record from an unknown one. */
  async function expectNotFound(known: Known): Promise<void> {
    const never = await ask(node, 'get', `/v1/cer/public?certificate_hash=${UNKNOWN}`);
    for (const answer of await answersAbout(known)) {
      expect(answer.status).toBe(404);
      const requestId = answer.headers['x-request-id'];
      expect(answer.body).toEqual({ error: 'NOT_FOUND', reasonCode: 'RECORD_NOT_FOUND', requestId });
      expect(Object.keys(answer.headers).toSorted()).toEqual(Object.keys(never.headers).toSorted());
    }
  }

  /** The entries of a hash in the owner's list and package. */
  async function ownListing({ hash }: Known): Promise<{ status: unknown; isExported: boolean }> {
    const { body } = await ask(node, 'get', '/v1/records?limit=1000', { key });
    const records = at(body, 'records') as { certificateHash: string; status: string }[];
    const exported = await fetch(`${node.url}/v1/records/export`, { headers: { authorization: `Bearer ${key}` } });
    const files = await zipFiles(Buffer.from(await exported.arrayBuffer()));
    return {
      status: records.find(({ certificateHash }) => certificateHash === hash)?.status,
      isExported: [...files.values()].some((content) => content.includes(hash)),
    };
  }

  /** Other content under the old executionId, on every route. */
  async function expectChangedContentRefused({ request }: Known): Promise<void> {
    const changed = { ...request, model: 'another' };
    const single = await certify(changed);
    expect([single.status, at(single.body, 'error')]).toEqual([409, 'EXECUTION_MUTATION_DETECTED']);
    expect(at(await batchLine(changed), 'status')).toBe(409);
  }

  async function batchLine(request: JsonObject): Promise<unknown> {
    const { text } = await ask(node, 'post', '/v1/cer/ai/certify-batch', {
      key,
      body: JSON.stringify(request),
      headers: { 'Content-Type': 'application/x-ndjson' },
    });
    return JSON.parse(text);
  }

  async function expectRemoved(known: Known): Promise<void> {
    await expectNotFound(known);
    await expectChangedContentRefused(known);
    const removed = { error: 'RECORD_REMOVED' };
    expect(await certify(known.request)).toMatchObject({ status: 409, body: removed });
    expect(await batchLine(known.request)).toMatchObject({ status: 409, body: removed });
    expect(await ask(node, 'post', '/api/attest', { key, body: known.cer })).toMatchObject({
      status: 409,
      body: removed,
    });
    expect(await ownListing(known)).toEqual({ status: undefined, isExported: false });
    for (const act of ['hide', 'unhide', 'delete', 'hold']) {
      expect((await admin(`records/${known.hash}/${act}`)).status).toBe(404);
    }
    expectNoCopy(known);
  }

  /** Only hashes and the executionId of a deleted record may remain. */
  function expectNoCopy({ executionId }: Known): void {
    if (!('path' in node.database) || typeof node.database.path !== 'string') return;
    const folder = dirname(node.database.path);
    for (const file of readdirSync(folder)) {
      const content = readFileSync(join(folder, file), 'latin1');
      expect([file, content.includes(`model-of-${executionId}`)]).toEqual([file, false]);
      expect([file, content.includes(`app-of-${executionId}`)]).toEqual([file, false]);
    }
  }

  it('hides a record from all but its owner', async () => {
    const known = await certified();
    const before = await answersAbout(known);
    expect(before.map(({ status }) => status)).toEqual(before.map(() => 200));
    expect((await admin(`records/${known.hash}/hide`)).status).toBe(200);
    await expectNotFound(known);
    await expectChangedContentRefused(known);
    const replay = await certify(known.request);
    expect([replay.status, replay.headers['x-idempotent-replay']]).toEqual([200, 'true']);
    expect(await ownListing(known)).toEqual({ status: 'hidden', isExported: true });
    expect((await admin(`records/${known.hash}/unhide`)).status).toBe(200);
    expect((await answersAbout(known)).map(({ text }) => text)).toEqual(before.map(({ text }) => text));
  });

  it('deletes every byte of a record', async () => {
    const known = await certified();
    expect(await admin(`records/${known.resealedHash}/delete`)).toMatchObject({ status: 200, body: { changed: 1 } });
    await expectRemoved(known);
  });

  it('treats a swept record like a deleted one', async () => {
    const [old, young] = [await certifiedLongBefore(), await certified()];
    expect(await swept()).toBe(1);
    await expectRemoved(old);
    expect((await answersAbout(young)).map(({ status }) => status)).not.toContain(404);
  });

  it('keeps a held record until its release', async () => {
    const known = await certifiedLongBefore();
    expect((await admin(`records/${known.hash}/hold`)).status).toBe(200);
    expect(await swept()).toBe(0);
    expect(await admin(`records/${known.hash}/delete`)).toMatchObject({ status: 409, body: { error: 'LEGAL_HOLD' } });
    expect((await answersAbout(known)).map(({ status }) => status)).not.toContain(404);
    expect((await admin(`records/${known.hash}/release`)).status).toBe(200);
    expect(await swept()).toBe(1);
    await expectRemoved(known);
  });

  it('lists withdrawn steps of a verifiable project', async () => {
    const steps = [await certified(), await certified(), await certifiedLongBefore(), await certified()];
    const bundle = buildProject(
      { projectBundleId: randomUUID(), projectTitle: 'A project' },
      steps.map(({ cer }, index) => ({ stepId: `step-${index}`, bundle: cer })),
    );
    expect((await ask(node, 'post', '/v1/project-bundle/register', { key, body: bundle })).status).toBe(200);
    const path = `/v1/project-bundle/public?project_hash=${textAt(bundle, 'integrity', 'projectHash')}`;
    const whole = await ask(node, 'get', path);
    expect(at(whole.body, 'withdrawn')).toBeUndefined();
    const [first, second] = steps.map(({ hash }) => hash);
    await admin(`records/${first}/hide`);
    await admin(`records/${second}/delete`);
    expect(await swept()).toBe(1);

    const { status, body, text } = await ask(node, 'get', path);
    expect([status, at(body, 'withdrawn')]).toEqual([200, ['step-0', 'step-1', 'step-2']]);
    expect(Object.keys(objectAt(body, 'embeddedBundles'))).toEqual(['step-3']);
    for (const { executionId } of steps.slice(0, 3)) expect(text).not.toContain(`app-of-${executionId}`);
    const verdict = await ask(node, 'post', '/v1/project-bundle/verify', { body: { bundle: body } });
    const withdrawn = { status: 'WITHDRAWN', code: 'INCOMPLETE_ARTIFACT' };
    expect(verdict.body).toMatchObject({
      ...{ ok: true, code: 'OK', totalSteps: 4, passedSteps: 1, failedSteps: 0, nodeReceipt: 'PASS' },
      steps: [withdrawn, withdrawn, withdrawn, { status: 'VERIFIED_CONFIDENTIAL' }],
    });
    const evaluation = await evaluateProject(body, { keySet: testKeys(), verifiedAt: NOW.toISOString() });
    expect(evaluation).toMatchObject({ status: 'VERIFIED', findings: [] });
    await admin(`records/${first}/unhide`);
    expect(at((await ask(node, 'get', path)).body, 'withdrawn')).toEqual(['step-1', 'step-2']);
  });

  it('does not register a withdrawn project again', async () => {
    const { cer } = await certified();
    const project = (): JsonObject =>
      buildProject({ projectBundleId: randomUUID(), projectTitle: 'canary of a project' }, [
        { stepId: 'step-0', bundle: cer },
      ]);
    const register = (body: JsonObject): Promise<Answer> =>
      ask(node, 'post', '/v1/project-bundle/register', { key, body });
    const hashOf = (body: JsonObject): string => textAt(body, 'integrity', 'projectHash');
    const lookup = (body: JsonObject): Promise<Answer> =>
      ask(node, 'get', `/v1/project-bundle/public?project_hash=${hashOf(body)}`);
    const [hidden, deleted, old, held] = [project(), project(), project(), project()];
    for (const body of [hidden, deleted]) expect((await register(body)).status).toBe(200);
    clock = LONG_BEFORE;
    for (const body of [old, held]) expect((await register(body)).status).toBe(200);
    clock = NOW;
    expect((await admin(`projects/${hashOf(held)}/hold`)).status).toBe(200);
    expect((await admin(`projects/${hashOf(held)}/delete`)).status).toBe(409);
    expect((await admin(`projects/${hashOf(hidden)}/hide`)).status).toBe(200);
    expect((await admin(`projects/${hashOf(deleted)}/delete`)).status).toBe(200);
    expect(await swept()).toBe(1);
    for (const body of [hidden, deleted, old]) {
      expect(await lookup(body)).toMatchObject({ status: 404, body: { reasonCode: 'RECORD_NOT_FOUND' } });
    }
    expect((await lookup(held)).status).toBe(200);
    expect((await register(hidden)).status).toBe(200);
    for (const body of [deleted, old]) {
      expect(await register(body)).toMatchObject({ status: 409, body: { error: 'RECORD_REMOVED' } });
    }
  });
});
