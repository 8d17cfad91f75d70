import { setImmediate as nextTurnOfLoop } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

import { DEFAULT_PUBLISH_SETTINGS } from '@cer/cer-core/attest';
import type { JsonObject } from '@cer/canonical-json';
import { buildProject } from '@cer/cer-core/seal';
import { CONFIDENTIAL_MEMBERS, executionRequest, sealed } from '@cer/cer-core/testing';
import { builtProgram } from '@cer/http-service/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { generateApiKey, SCOPES } from '@cer/control-plane';
import type { Caller } from '../src/auth/key-directory.js';
import { largeWorkOpener, type LargeWorkOpener } from '../src/thread/open-large-work.js';
import { objectAt } from './ask.js';
import { startTestNode, testSecrets, VERIFY_URL, type TestNode } from './test-node.js';

const NOW = new Date('2030-01-01T00:00:00.000Z');
const LARGE = 300 * 1024;
const MIB = 1024 * 1024;
const LIMITS = {
  bodyLimitBytes: 4 * MIB,
  verifyLimitBytes: 8 * MIB,
  projectLimitBytes: 4 * MIB,
  projectVerifyLimitBytes: 4 * MIB,
};
const START = { url: pathToFileURL(builtProgram('apps/node/src/thread/thread.ts')) };

const KEY = generateApiKey();
/** One tenant id on both nodes: salts depend on it. */
const CALLER: Caller = { tenantId: 'tenant', keyId: 'key', scopes: new Set(SCOPES), publish: DEFAULT_PUBLISH_SETTINGS };

/** A node that works on large bodies in threads, and one that does so on the event loop. */
let threaded: TestNode;
let plain: TestNode;
let opener: LargeWorkOpener;

beforeAll(async () => {
  opener = largeWorkOpener(
    { ...LIMITS, secrets: testSecrets('secret-1'), verifyUrl: VERIFY_URL, hasLog: false, tsaRootsPem: null },
    START,
  );
  const members = { keys: { find: async () => CALLER }, now: () => NOW, ...LIMITS };
  threaded = await startTestNode({
    replace: () => ({
      ...members,
      openLargeWork: (deps) => {
        const work = opener.open(deps);
        return {
          run: (kind, ...request) => held(kind).then(() => work.run(kind, ...request)),
          verify: (kind, ...request) => held(kind).then(() => work.verify(kind, ...request)),
        };
      },
    }),
  });
  plain = await startTestNode({ replace: () => members });
});
afterAll(async () => {
  await opener.close();
  await threaded.close();
  await plain.close();
});

/** Jobs before their thread takes them. */
let arrived: string[] = [];
/** While set, jobs wait for it, as behind others. */
let gate: Promise<void> = Promise.resolve();

async function held(kind: string): Promise<void> {
  arrived.push(kind);
  await gate;
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string | null>>;
}

let asked = 0;

async function send(node: TestNode, path: string, body: string | Uint8Array, id: string): Promise<Answer> {
  const type = path.endsWith('batch') ? 'application/x-ndjson' : 'application/json';
  const response = await fetch(`${node.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': type, 'x-request-id': id },
    body: typeof body === 'string' ? body : new Uint8Array(body),
  });
  const named = ['content-type', 'x-certificate-hash', 'x-idempotent-replay', 'retry-after'];
  const headers = Object.fromEntries(named.map((name) => [name, response.headers.get(name)]));
  return { status: response.status, text: comparable(await response.text()), headers };
}

/** Ids of attestations and of lines are random, and signatures cover them; all have one length. */
function comparable(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'uuid')
    .replaceAll(/2030-01-01T00:0\d:\d\d\.\d{3}Z/g, 'now')
    .replaceAll(/"(signature|signatureB64Url|verificationEnvelopeSignature)":"[\w-]{86}"/g, '"$1":"signature"')
    .replaceAll(/"(envelopeHash|payloadHash|resealedCertificateHash)":"sha256:[0-9a-f]{64}"/g, '"$1":"hash"');
}

/** Asks both nodes the same. @returns the answer that both gave */
async function bothAnswer(path: string, body: string | Uint8Array): Promise<Answer> {
  asked += 1;
  const id = `both-${asked}`;
  const [there, here] = await Promise.all([send(threaded, path, body, id), send(plain, path, body, id)]);
  expect(there).toEqual(here);
  return here;
}

const padding = 'é'.repeat(LARGE);
const request = (members: Readonly<Record<string, unknown>>): string =>
  JSON.stringify({ ...executionRequest(), metadata: { padding }, ...members });

describe('large bodies in threads and the event loop', () => {
  it.each(['1.2.0', '1.3.0', '1.3.1'])('get the same certificate, replay and refusal: %s', async (protocolVersion) => {
    const members = protocolVersion === '1.3.1' ? CONFIDENTIAL_MEMBERS : { protocolVersion };
    const executionId = `large-${protocolVersion}`;
    const body = request({ ...members, executionId });
    expect((await bothAnswer('/v1/cer/ai/certify', body)).status).toBe(200);
    const replay = await bothAnswer('/v1/cer/ai/certify', body);
    expect([replay.status, replay.headers['x-idempotent-replay']]).toEqual([200, 'true']);
    const other = await bothAnswer('/v1/cer/ai/certify', request({ ...members, executionId, model: 'another' }));
    expect([other.status, JSON.parse(other.text)]).toMatchObject([409, { error: 'EXECUTION_MUTATION_DETECTED' }]);
  });

  it.each([
    ['text that is not JSON', `{"a":"${padding}",}`],
    ['a member twice', `{"a":"${padding}","b":1,"b":2}`],
    ['too many levels', `${'['.repeat(200)}"${padding}"${']'.repeat(200)}`],
    ['bytes that are not UTF-8', Buffer.concat([Buffer.from(`{"a":"${padding}`), Buffer.from([0xff, 0x22, 0x7d])])],
    ['an array', JSON.stringify([padding])],
    ['members of the wrong type', request({ provider: 1, model: {}, input: 5 })],
    ['both input and its hash', request({ inputHash: `sha256:${'0'.repeat(64)}` })],
    ['a lone surrogate', request({ executionId: '\\ud800' }).replace('\\\\ud800', '\\ud800')],
    ['a NUL, which no database keeps', request({ executionId: 'a\u0000b' })],
    ['content that its protocol refuses', request({ protocolVersion: '1.3.1' })],
    ['an unknown protocol', request({ protocolVersion: '9.9.9' })],
  ])('get the same refusal: %s', async (_case, body) => {
    for (const path of ['/v1/cer/ai/certify', '/v1/cer/ai/create', '/api/attest']) {
      expect((await bothAnswer(path, body)).status).toBeGreaterThanOrEqual(400);
    }
  });

  it('get the same certificate when dense rather than large', async () => {
    const body = executionRequest({
      executionId: 'dense',
      metadata: { values: Array.from({ length: 30_000 }, () => []) },
    });
    arrived = [];
    expect((await bothAnswer('/v1/cer/ai/certify', JSON.stringify(body))).status).toBe(200);
    expect(arrived).toEqual(['certify']);
  });

  it('get equal answers from create and from attest', async () => {
    const { text } = await bothAnswer('/v1/cer/ai/create', request({ executionId: 'made', input: padding }));
    expect((await bothAnswer('/api/attest', text)).status).toBe(200);
    expect((await bothAnswer('/api/attest', text.replace('"made"', '"maid"'))).status).toBe(400);
  });

  it('are the same for any content', async () => {
    const json = fc.jsonValue({ maxDepth: 4 });
    await fc.assert(
      fc.asyncProperty(
        json,
        json,
        fc.constantFrom('input', 'metadata', 'parameters', 'context'),
        async (a, b, name) => {
          const body = request({ executionId: `any-${asked}`, [name]: { a, padding }, output: b });
          await bothAnswer('/v1/cer/ai/certify', body);
          await bothAnswer('/v1/cer/ai/create', body);
        },
      ),
      { numRuns: 20 },
    );
  });

  it('are the same as lines of a batch, in order', async () => {
    const lines = [
      request({ executionId: 'line', metadata: {} }),
      request({ executionId: 'line' }),
      request({ executionId: 'line', model: 'another' }),
      request({ executionId: 'line-2', metadata: {} }),
      `{"a":"${padding}"`,
      request({ executionId: 'line-2', model: 'another' }),
    ];
    const { text } = await bothAnswer('/v1/cer/ai/certify-batch', lines.join('\n'));
    const statuses = text
      .trimEnd()
      .split('\n')
      .map((line) => /"status":(\d+)/.exec(line)?.[1]);
    expect(statuses).toEqual(['200', '200', '409', '200', '400', '409']);
  });
});

describe('large projects and verifications', () => {
  const REGISTER = '/v1/project-bundle/register';
  const VERIFY = '/v1/cer/verify';
  const VERIFY_PROJECT = '/v1/project-bundle/verify';
  const arrays = `[${'[],'.repeat(LARGE / 3)}[]]`;

  async function certified(executionId: string): Promise<JsonObject> {
    const { status, text } = await bothAnswer('/v1/cer/ai/certify', request({ executionId }));
    expect(status).toBe(200);
    const cer = objectAt(JSON.parse(text), 'cer') as JsonObject;
    // Ids and signatures were made equal, so only the sealed part is attested again.
    return Object.fromEntries(Object.entries(cer).filter(([name]) => name !== 'meta'));
  }
  const projectOf = (bundles: readonly JsonObject[], projectTitle = 'A project'): JsonObject =>
    buildProject(
      { projectBundleId: 'project', projectTitle },
      bundles.map((bundle, at) => ({ stepId: `step-${at}`, bundle })),
    );

  it('get the same registration, replay and refusals', async () => {
    const steps = await Promise.all(['p1', 'p2'].map((id) => certified(id)));
    const body = JSON.stringify({ ...projectOf(steps), meta: { padding } });
    expect((await bothAnswer(REGISTER, body)).status).toBe(200);
    const replay = await bothAnswer(REGISTER, body);
    expect([replay.status, replay.headers['x-idempotent-replay']]).toEqual([200, 'true']);
    const nested = (levels: number): string =>
      body.replace('"padding"', `"deep":${'['.repeat(levels)}${']'.repeat(levels)},"padding"`);
    expect((await bothAnswer(REGISTER, nested(128))).status).toBe(200);
    expect((await bothAnswer(REGISTER, nested(129))).status).toBe(400);
    expect((await bothAnswer(REGISTER, body.replace('A project', 'Another'))).status).toBe(400);
    const foreign = projectOf([...steps, sealed(executionRequest()).bundle]);
    const missing = await bothAnswer(REGISTER, JSON.stringify({ ...foreign, meta: { padding } }));
    expect([missing.status, JSON.parse(missing.text)]).toMatchObject([400, { error: 'ATTESTATION_MISSING' }]);
    expect((await bothAnswer(REGISTER, arrays)).status).toBe(400);
    expect((await bothAnswer(REGISTER, `{"a":"${padding}",}`)).status).toBe(400);
  });

  it('get the same verdicts', async () => {
    const { bundle } = sealed(executionRequest({ executionId: 'v1', parameters: { temperature: 0, padding } }));
    const text = JSON.stringify(bundle);
    const project = JSON.stringify(projectOf([bundle]));
    for (const [path, body, status] of [
      [VERIFY, text, 200],
      [VERIFY, `{"bundle":${text}}`, 200],
      [VERIFY, text.replace('"v1"', '"v2"'), 200],
      [VERIFY, `{"a":"${padding}"}`, 400],
      [VERIFY, `{"bundle":${arrays}}`, 400],
      [VERIFY, `{"bundle":{"a":"${padding}"}`, 400],
      [VERIFY_PROJECT, project, 200],
      [VERIFY_PROJECT, project.replace('A project', 'Another'), 200],
      [VERIFY_PROJECT, `{"stepRegistry":${arrays}}`, 200],
    ] as const) {
      expect([path, body.slice(0, 40), (await bothAnswer(path, body)).status]).toEqual([
        path,
        body.slice(0, 40),
        status,
      ]);
    }
  });

  it('leave the event loop to other callers', async () => {
    let release = (): void => undefined;
    gate = new Promise((resolve) => {
      release = resolve;
    });
    arrived = [];
    const body = `{"stepRegistry":${arrays}}`;
    const kinds = ['register', 'verify', 'verify-project'];
    const waiting = [REGISTER, VERIFY, VERIFY_PROJECT].map((path) => send(threaded, path, body, 'large'));
    try {
      while (arrived.length < kinds.length) await nextTurnOfLoop();
      expect([...arrived].sort()).toEqual(kinds);
      const small = JSON.stringify(executionRequest({ executionId: 'small' }));
      expect((await send(threaded, '/v1/cer/ai/certify', small, 'small')).status).toBe(200);
      const { bundle } = sealed(executionRequest());
      expect((await send(threaded, VERIFY, JSON.stringify(bundle), 'small')).status).toBe(200);
      expect((await send(threaded, VERIFY_PROJECT, JSON.stringify(projectOf([bundle])), 'small')).status).toBe(200);
    } finally {
      release();
    }
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([400, 200, 200]);
  });
});
