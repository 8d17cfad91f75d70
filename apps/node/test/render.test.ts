import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { jcsV1 } from '@cer/canonical-json';
import { sha256 } from '@cer/cer-core';
import { judgePicture, readPicture } from '@cer/cer-core/picture';
import { greyPng } from '@cer/cer-core/testing';
import { evaluateCer } from '@cer/cer-core/verify';
import type { PlanLimits } from '@cer/control-plane';
import { Secret } from '@cer/http-service/config';

import { createRendererClient, type RendererClient } from '../src/render/renderer-client.js';
import { StoreRestoredError } from '../src/store/index.js';
import { ask, at, textAt, type Answer } from './ask.js';
import { dayWithTimeLeft } from './before-midnight.js';
import { startTestNode, type TestNode } from './test-node.js';

// A renderer over real HTTP with scripted answers; the real one has its own suites, and e2e combines both.

const TOKEN = 'token-of-the-test-renderer-000000000';
const PIXELS = sha256('pixels');
const PNG = sha256('png');
const CODE = 'function setup() { background(0); } // unmistakable-sketch-code';

interface ScriptedAnswer {
  status: number;
  body: object;
  isForged: boolean;
  retryAfter: string | undefined;
}

const scripted: ScriptedAnswer = { status: 200, body: {}, isForged: false, retryAfter: undefined };
let definesDraw = false;
const ENGINE = { name: 'portable', version: '1', wasmHash: sha256('skia') };
const asked: { readonly route: string; readonly body: unknown }[] = [];

const still = (more: object = {}): object => ({
  pngBase64: Buffer.from('png').toString('base64'),
  runtimeHash: PNG,
  pixelHash: PIXELS,
  width: 1950,
  height: 2400,
  sdkVersion: '1.0.0',
  rendererVersion: 'test-1',
  engine: ENGINE,
  executionTimeMs: 5,
  ...more,
});

const loop = {
  animationHash: sha256('frames'),
  posterHash: PNG,
  sdkVersion: '1.0.0',
  rendererVersion: 'test-1',
  engine: ENGINE,
  executionTimeMs: 9,
};

async function readBody(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request as AsyncIterable<Buffer>) text += chunk.toString();
  return text;
}

function startRenderer(): Server {
  return createServer((request, response) => {
    void readBody(request).then((body) => {
      const route = request.url ?? '';
      asked.push({ route, body: JSON.parse(body) });
      const text = JSON.stringify(route === '/inspect' ? { definesSetup: true, definesDraw } : scripted.body);
      const nonce = String(request.headers['x-render-nonce']);
      const message = jcsV1.canonicalize({
        nonce,
        requestHash: sha256(body),
        responseHash: sha256(scripted.isForged ? 'x' : text),
      });
      const mac = createHmac('sha256', TOKEN).update(message).digest('base64url');
      response.writeHead(route === '/inspect' ? 200 : scripted.status, {
        'content-type': 'application/json',
        'x-render-mac': mac,
        ...(scripted.retryAfter !== undefined && { 'retry-after': scripted.retryAfter }),
      });
      response.end(text);
    });
  });
}

describe('rendering through the node', () => {
  let renderer: Server;
  let client: RendererClient;
  let node: TestNode;
  let key: string;
  let plan: PlanLimits | null = null;
  let isRestored = false;

  beforeAll(async () => {
    renderer = startRenderer();
    await new Promise<void>((resolve) => {
      renderer.listen(0, '127.0.0.1', resolve);
    });
    const { port } = renderer.address() as AddressInfo;
    client = createRendererClient(`http://127.0.0.1:${port}`, new Secret(TOKEN));
    node = await startTestNode({
      replace: ({ keys }) => ({
        render: { renderer: client, maxTotalFrames: 1800, allowOpenRender: false },
        restored: {
          assertAccepted: () => (isRestored ? Promise.reject(new StoreRestoredError()) : Promise.resolve()),
        },
        keys: {
          find: async (hash) => {
            const caller = await keys.find(hash);
            return caller === null || plan === null ? caller : { ...caller, limits: plan };
          },
        },
      }),
    });
  });
  beforeEach(async () => {
    plan = null;
    isRestored = false;
    Object.assign(scripted, { status: 200, body: still(), isForged: false, retryAfter: undefined });
    definesDraw = false;
    asked.length = 0;
    key = await node.newKey();
  });
  afterAll(async () => {
    await node.close();
    renderer.closeAllConnections();
    await new Promise((resolve) => renderer.close(resolve));
  });

  const render = (members: object, headers = {}): Promise<Answer> =>
    ask(node, 'post', '/api/render', { key, body: { seed: 'default', VAR: [], ...members }, headers });
  const verify = ({
    snapshot,
    ...beside
  }: {
    readonly snapshot: object;
    readonly [name: string]: unknown;
  }): Promise<Answer> =>
    ask(node, 'post', '/verify', { key, body: { ...beside, snapshot: { seed: 'default', vars: [], ...snapshot } } });

  it('returns the PNG with its hash, or JSON', async () => {
    const png = await render({ code: CODE, VAR: [1] });
    expect(png.headers).toMatchObject({ 'content-type': 'image/png', 'x-runtime-hash': PNG });
    expect(png.text).toBe('png');
    expect(asked).toEqual([{ route: '/render', body: expect.objectContaining({ seed: 'default', vars: [1] }) }]);
    const json = await render({ code: CODE }, { accept: 'application/json' });
    expect(json.body).toMatchObject({ runtimeHash: PNG, width: 1950, height: 2400, protocolVersion: '1.2.0' });
  });

  it.each([
    ['Application/JSON;q=0.5', 'application/json; charset=utf-8'],
    ['image/png, application/json;q=0', 'image/png'],
    ['application/json; Q=0.000', 'image/png'],
    ['application/json-seq', 'image/png'],
    ['image/png, application/json;q=0.5', 'image/png'],
    ['application/json;q=0.4, image/*;q=0.5', 'image/png'],
    ['image/png;q=0.5, application/json;q=0.8', 'application/json; charset=utf-8'],
    ['application/json, text/plain, */*', 'application/json; charset=utf-8'],
    ['image/*, image/png;q=0.1, application/json;q=0.5', 'application/json; charset=utf-8'],
  ])('reads Accept by its rules: %s', async (accept, type) => {
    expect((await render({ code: CODE }, { accept })).headers['content-type']).toBe(type);
  });

  it('puts the certificate into the picture on request', async () => {
    const png = greyPng(120);
    scripted.body = still({ pngBase64: Buffer.from(png).toString('base64'), runtimeHash: sha256(png) });
    const asJson = { accept: 'application/json' };
    const drawn = await render({ code: CODE, certify: false }, asJson);
    expect([at(drawn.body, 'pngBase64'), at(drawn.body, 'cer')]).toEqual([
      Buffer.from(png).toString('base64'),
      undefined,
    ]);
    const { status, headers, body } = await render({ code: CODE, certify: true }, asJson);
    expect([status, headers['x-runtime-hash'], at(body, 'runtimeHash')]).toEqual([200, sha256(png), sha256(png)]);
    expect(asked.at(-1)?.body).toMatchObject({ twice: true });
    const picture = readPicture(Buffer.from(textAt(body, 'pngBase64'), 'base64'));
    expect(picture.png).toEqual(png);
    expect(JSON.parse(new TextDecoder().decode(picture.certificate ?? undefined))).toEqual(at(body, 'cer'));
    const keySet = node.deps.signing.published().keySet;
    const evaluation = await evaluateCer(at(body, 'cer'), { keySet, verifiedAt: '2026-01-01T00:00:00.000Z' });
    expect(judgePicture(evaluation, picture.png)).toMatchObject({
      evaluation: { status: 'VERIFIED' },
      picture: { isCertified: true },
    });
    const same = await verify({ snapshot: { code: CODE }, expectedHash: sha256(png) });
    expect([same.headers['x-idempotent-replay'], at(same.body, 'certificateHash')]).toEqual([
      'true',
      headers['x-certificate-hash'],
    ]);
  });

  it('certifies a picture under the given execution only', async () => {
    scripted.body = still({ pngBase64: Buffer.from(greyPng(1)).toString('base64') });
    const first = await render({ code: CODE, certify: true, executionId: 'picture-1' });
    expect([first.status, first.headers['content-type']]).toEqual([200, 'image/png']);
    expect((await render({ code: `${CODE}//`, certify: true, executionId: 'picture-1' })).status).toBe(409);
    const refused = await render({ code: CODE, certify: 'yes' });
    expect([refused.status, at(refused.body, 'details')]).toEqual([400, ['certify: must be a boolean']]);
  });

  it('does not render beyond the quota', async () => {
    await dayWithTimeLeft();
    plan = { requestsPerMinute: null, executionsPerMonth: 1 };
    const first = await verify({ snapshot: { code: CODE } });
    expect(first.status).toBe(200);
    const replay = await verify({ snapshot: { code: CODE } });
    expect([replay.status, replay.headers['x-idempotent-replay']]).toEqual([200, 'true']);
    asked.length = 0;
    const refused = await verify({ snapshot: { code: `${CODE}//` } });
    expect([refused.status, at(refused.body, 'error')]).toEqual([429, 'QUOTA_EXCEEDED']);
    expect(asked).toEqual([]);
    expect((await render({ code: `${CODE}//`, certify: true })).status).toBe(429);
    expect(asked).toEqual([]);
    expect((await render({ code: CODE })).status).toBe(200);
  });

  it('hides certificates of accounts hidden by default', async () => {
    const { tenantId } = await node.store.tenants.createTenant('hidden');
    await node.store.tenantSettings.set(tenantId, 'node', { visibility: 'hidden' });
    key = await node.newKey('hidden');
    const first = await verify({ snapshot: { code: CODE } });
    const hash = textAt(first.body, 'certificateHash');
    expect((await ask(node, 'get', `/v1/cer/public?certificate_hash=${hash}`)).status).toBe(404);
    const again = await verify({ snapshot: { code: CODE } });
    expect([again.headers['x-idempotent-replay'], at(again.body, 'certificateHash')]).toEqual(['true', hash]);
  });

  it('reports every fault without values', async () => {
    const { status, body, text } = await render({
      code: '',
      seed: 7,
      VAR: [101, 'secret-value', ...Array<number>(9).fill(1)],
      width: 10,
      protocolVersion: '1.3.1',
    });
    expect(status).toBe(400);
    expect(body).toMatchObject({
      error: 'VALIDATION_ERROR',
      details: [
        'code: must be a non-empty string',
        'seed: must be a string',
        'VAR: must have at most 10 numbers',
        'VAR[0]: must be a number from 0 to 100',
        'VAR[1]: must be a number from 0 to 100',
        'height: is required beside width',
        'protocolVersion: must be one of 1.2.0, 1.3.0',
      ],
    });
    expect(text).not.toContain('secret-value');
    expect(asked).toEqual([]);
  });

  it.each([undefined, null])('refuses a seed and variables that are %p', async (unset) => {
    const image = await render({ code: CODE, seed: unset, VAR: unset });
    expect([image.status, at(image.body, 'details')]).toEqual([400, ['seed: is required', 'VAR: is required']]);
    const certified = await verify({ snapshot: { code: CODE, seed: unset, vars: unset } });
    expect([certified.status, at(certified.body, 'details')]).toEqual([
      400,
      ['snapshot.seed: is required', 'snapshot.vars: is required'],
    ]);
    expect(asked).toEqual([]);
  });

  it('takes null for an optional member that is absent', async () => {
    const unset = { width: null, height: null, protocolVersion: null, engine: null };
    expect((await render({ code: CODE, ...unset })).status).toBe(200);
    const plain = await verify({ snapshot: { code: CODE, seed: 'unset' } });
    const { status, headers, body } = await verify({
      ...{ executionId: null, expectedHash: null, expectedAnimationHash: null, expectedPosterHash: null },
      snapshot: {
        code: CODE,
        seed: 'unset',
        execution: null,
        engine: null,
        rendererVersion: null,
        protocolVersion: null,
      },
    });
    expect([status, headers['x-idempotent-replay'], at(body, 'cer')]).toEqual([200, 'true', at(plain.body, 'cer')]);
    const inside = { mode: null, totalFrames: null, fps: null };
    const third = await verify({ snapshot: { code: CODE, seed: 'unset', execution: inside } });
    expect(at(third.body, 'certificateHash')).toBe(at(plain.body, 'certificateHash'));
  });

  it('rejects answers not bound to the request', async () => {
    scripted.isForged = true;
    expect((await render({ code: CODE })).body).toMatchObject({ error: 'RENDERER_UNAVAILABLE' });
    expect((await verify({ snapshot: { code: CODE } })).status).toBe(503);
  });

  describe('a refusal in place of events', () => {
    const follow = () => client.follow({ code: CODE }, new AbortController().signal).next();
    beforeEach(() => {
      Object.assign(scripted, { status: 429, body: { error: 'RATE_LIMITED' }, retryAfter: '77' });
    });

    it('keeps its Retry-After', async () => {
      const refusal = { code: 'RATE_LIMITED', headers: { 'retry-after': '77' } };
      await expect(follow()).rejects.toMatchObject({ refusal });
    });

    it('is rejected when it is not bound to the request', async () => {
      scripted.isForged = true;
      await expect(follow()).rejects.toMatchObject({ refusal: { code: 'RENDERER_UNAVAILABLE' } });
    });
  });

  it('passes on sketch errors and hides renderer errors', async () => {
    Object.assign(scripted, { status: 422, body: { error: 'RENDER_ERROR', message: 'ReferenceError', line: 3 } });
    const sketch = await render({ code: CODE });
    expect(sketch).toMatchObject({ status: 422, body: { error: 'RENDER_ERROR', message: 'ReferenceError', line: 3 } });
    Object.assign(scripted, { status: 500, body: { error: 'INTERNAL_ERROR', message: 'inner words' } });
    const inner = await render({ code: CODE });
    expect(inner).toMatchObject({ status: 503, body: { error: 'RENDERER_UNAVAILABLE' } });
    expect(inner.text).not.toContain('inner words');
  });

  it('certifies a still without storing its code', async () => {
    const { status, body } = await verify({ snapshot: { code: CODE, seed: 's', vars: [2] }, expectedHash: PNG });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      verified: true,
      mode: 'static',
      computedHash: PNG,
      computedPixelHash: PIXELS,
      hashMatchType: 'png',
    });
    expect(asked.at(-1)?.body).toMatchObject({ twice: true });
    const { cer } = body as { readonly cer: object };
    const keySet = node.deps.signing.published().keySet;
    await expect(evaluateCer(cer, { keySet, verifiedAt: '2026-01-01T00:00:00.000Z' })).resolves.toMatchObject({
      status: 'VERIFIED',
      bundleType: 'cer.codemode.render.v1',
      envelope: { status: 'PASS' },
    });
    expect(JSON.stringify(body)).not.toContain('unmistakable-sketch-code');
    expect(node.log.join('\n')).not.toContain('unmistakable-sketch-code');
  });

  it('replays an equal picture and refuses another one', async () => {
    const request = { snapshot: { code: CODE, seed: 'again' } };
    const first = await verify(request);
    scripted.body = still({ rendererVersion: 'test-2', runtimeHash: sha256('re-encoded') });
    const again = await verify(request);
    expect(again.headers['x-idempotent-replay']).toBe('true');
    expect(again.body).toMatchObject({ cer: (first.body as { readonly cer: object }).cer });
    scripted.body = still({ pixelHash: sha256('other pixels') });
    expect((await verify(request)).body).toMatchObject({ error: 'EXECUTION_MUTATION_DETECTED' });
  });

  it('certifies the engine that drew, the portable one by default', async () => {
    const { body } = await verify({ snapshot: { code: CODE, seed: 'engine' } });
    expect(asked.at(-1)?.body).toMatchObject({ engine: 'portable' });
    expect(body).toMatchObject({ metadata: { engine: ENGINE }, cer: { snapshot: { engine: ENGINE } } });
    const native = { name: 'chromium-native', boundTo: 'machine' };
    scripted.body = still({ engine: native, pixelHash: sha256('native pixels') });
    const chosen = await verify({ snapshot: { code: CODE, seed: 'engine', engine: 'chromium-native' } });
    expect(asked.at(-1)?.body).toMatchObject({ engine: 'chromium-native' });
    expect(chosen).toMatchObject({ status: 200, body: { cer: { snapshot: { engine: native } } } });
    expect(await render({ code: CODE, engine: 'skia' })).toMatchObject({
      status: 400,
      body: { details: ['engine: must name one of portable, chromium-native'] },
    });
  });

  it('reports a difference only on the engine of the certified picture', async () => {
    const judge = (engine: object) =>
      verify({ snapshot: { code: CODE, seed: 'judge', ...engine }, expectedHash: sha256('another picture') });
    const refused = { status: 422, body: { error: 'CANNOT_BE_JUDGED' } };
    const judged = { status: 200, body: { verified: false } };
    expect(await judge({ engine: ENGINE })).toMatchObject(judged);
    const older = { ...ENGINE, wasmHash: sha256('older skia') };
    expect(await judge({ engine: older })).toMatchObject(refused);
    expect(asked.at(-1)?.body).toMatchObject({ engine: older });
    expect(await judge({ engine: 'chromium-native' })).toMatchObject(refused);
    expect(await judge({ rendererVersion: 'another machine' })).toMatchObject(refused);
    expect(asked.at(-1)?.body).toMatchObject({ engine: 'chromium-native' });
    expect(await judge({ rendererVersion: 'test-1' })).toMatchObject(judged);
  });

  it.each([false, true])('draws a picture only with the named engine, certify: %p', async (certify) => {
    const seed = `named ${certify}`;
    scripted.body = still({ pngBase64: Buffer.from(greyPng(1)).toString('base64') });
    expect((await render({ code: CODE, seed, certify, engine: ENGINE })).status).toBe(200);
    const older = { ...ENGINE, wasmHash: sha256('older skia') };
    expect(await render({ code: CODE, seed, certify, engine: older })).toMatchObject({
      status: 422,
      body: { error: 'CANNOT_BE_JUDGED' },
    });
    expect(asked.at(-1)?.body).toMatchObject({ engine: older });
  });

  it('certifies a match of the native engine, named by its object', async () => {
    const engine = { name: 'chromium-native', boundTo: 'machine' };
    scripted.body = still({ engine });
    const snapshot = { code: CODE, seed: 'native object', engine };
    expect(await verify({ snapshot, expectedHash: PIXELS })).toMatchObject({ status: 200, body: { verified: true } });
    expect(await verify({ snapshot, expectedHash: sha256('another picture') })).toMatchObject({ status: 422 });
    const elsewhere = { ...snapshot, rendererVersion: 'another machine' };
    expect(await verify({ snapshot: elsewhere, expectedHash: PIXELS })).toMatchObject({ status: 422 });
  });

  it.each([{}, { mode: 'loop', totalFrames: 3 }])('names the member of the snapshot, mode: %p', async (execution) => {
    definesDraw = true;
    Object.assign(scripted, { status: 400, body: { error: 'VALIDATION_ERROR', details: ['code: must be short'] } });
    const snapshot = { code: CODE, seed: 'default', vars: [], execution };
    for (const accept of ['application/json', 'text/event-stream', 'mode' in execution ? 'video/mp4' : '*/*'])
      expect((await ask(node, 'post', '/verify', { key, body: { snapshot }, headers: { accept } })).text).toContain(
        '"details":["snapshot.code: must be short"]',
      );
    expect((await render({ code: CODE })).body).toMatchObject({ details: ['code: must be short'] });
  });

  it('does not certify an unexpected picture', async () => {
    const { status, body } = await verify({ snapshot: { code: CODE, seed: 'not' }, expectedHash: sha256('hoped for') });
    expect(status).toBe(200);
    expect(body).toMatchObject({ verified: false, hashMatchType: null });
    expect(body).not.toHaveProperty('certificateHash');
  });

  it.each([
    ['a still', 'expectedAnimationHash', {}, still()],
    ['a still', 'expectedPosterHash', {}, still()],
    ['a loop that matches in its frames', 'expectedHash', { mode: 'loop', totalFrames: 3 }, loop],
  ])('certifies %s only if %s matches too', async (_what, name, execution, body) => {
    definesDraw = true;
    scripted.body = body;
    const matching = 'mode' in execution ? { expectedAnimationHash: loop.animationHash } : { expectedHash: PNG };
    const snapshot = { code: CODE, seed: name, execution };
    const answer = await verify({ snapshot, ...matching, [name]: sha256('hoped for') });
    expect(answer).toMatchObject({ status: 200, body: { verified: false } });
    expect(answer.body).not.toHaveProperty('certificateHash');
  });

  it('passes on Retry-After and validation errors', async () => {
    Object.assign(scripted, { status: 429, body: { error: 'RATE_LIMITED', message: 'used up' }, retryAfter: '77' });
    const limited = await render({ code: CODE });
    expect(limited.status).toBe(429);
    expect(limited.headers['retry-after']).toBe('77');
    const details = ['seed: must have at most 1024 characters'];
    Object.assign(scripted, { status: 400, body: { error: 'VALIDATION_ERROR', details } });
    expect((await render({ code: CODE })).body).toMatchObject({ error: 'VALIDATION_ERROR', details });
  });

  it.each([[1], [1801], [2.5], ['10'], [null], [undefined]])('refuses a loop of %p frames', async (totalFrames) => {
    definesDraw = true;
    const answer = await verify({ snapshot: { code: CODE, execution: { mode: 'loop', totalFrames } } });
    expect(answer).toMatchObject({ status: 400, body: { error: 'LOOP_MODE_ERROR' } });
  });

  it('requires draw() for a loop', async () => {
    const execution = { mode: 'loop', totalFrames: 3 };
    expect((await verify({ snapshot: { code: CODE, execution } })).body).toMatchObject({ error: 'LOOP_MODE_ERROR' });
    definesDraw = true;
    scripted.body = loop;
    const { body } = await verify({
      snapshot: { code: CODE, execution: { totalFrames: 3, fps: 12 } },
      expectedPosterHash: PNG,
    });
    expect(body).toMatchObject({
      verified: true,
      mode: 'loop',
      computedAnimationHash: loop.animationHash,
      posterVerified: true,
      hashMatchType: 'png',
      metadata: { frames: 3, fps: 12 },
    });
  });

  it('renders, but certifies nothing on an older database', async () => {
    isRestored = true;
    scripted.body = still({ pngBase64: Buffer.from(greyPng(1)).toString('base64') });
    const refused = { status: 503, body: { error: 'SERVICE_UNAVAILABLE' } };
    expect(await render({ code: CODE, certify: true })).toMatchObject(refused);
    expect(await verify({ snapshot: { code: CODE } })).toMatchObject(refused);
    expect((await render({ code: CODE })).status).toBe(200);
  });

  it('requires a key with its scope', async () => {
    expect(await ask(node, 'post', '/render', { body: { code: CODE } })).toMatchObject({
      status: 410,
      body: { error: 'GONE' },
    });
    const other = await node.newKey(undefined, ['certify']);
    expect((await ask(node, 'post', '/api/render', { key: other, body: {} })).status).toBe(403);
  });
});

describe('a node with an unreachable renderer', () => {
  it('answers 503 with Retry-After', async () => {
    const client = createRendererClient('http://127.0.0.1:9', new Secret(TOKEN));
    const node = await startTestNode({
      replace: () => ({ render: { renderer: client, maxTotalFrames: 1800, allowOpenRender: false } }),
    });
    const body = { snapshot: { code: CODE, seed: 's', vars: [] } };
    const answer = await ask(node, 'post', '/verify', { key: await node.newKey(), body });
    expect(answer).toMatchObject({ status: 503, body: { error: 'RENDERER_UNAVAILABLE' } });
    expect(answer.headers['retry-after']).toBe('2');
    await node.close();
  });
});
