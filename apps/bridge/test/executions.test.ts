import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isJsonObject, member, type JsonObject } from '@cer/canonical-json';
import { evaluateCer } from '@cer/cer-core/verify';
import { serve, silentLogger } from '@cer/http-service/process';
import { parseKeySet } from '@cer/keys';
import { readFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { gzipSync } from 'node:zlib';
import { startBridgeBesideNode, type BridgeBesideNode } from './bridge-beside-node.js';
import { exportOf, span } from './otlp-json.js';
import type { NodeProcess } from './service-process.js';
import type { StubControlPlane, StubTenant } from './stub-control-plane.js';
import { startTestBridge, type TestBridge } from './test-bridge.js';

let services: BridgeBesideNode;
let controlPlane: StubControlPlane;
let node: NodeProcess;
let bridge: TestBridge;
let tenant: StubTenant;
let key: string;

beforeAll(async () => {
  services = await startBridgeBesideNode();
  ({ controlPlane, node, bridge } = services);
  tenant = controlPlane.newTenant();
  key = controlPlane.newKey(tenant);
});
afterAll(() => services.close());

function execution(members: JsonObject = {}): JsonObject {
  return {
    executionId: randomUUID(),
    provider: 'example',
    model: 'example-1',
    input: 'What?',
    output: 'That.',
    ...members,
  };
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: JsonObject;
}

async function send(
  body: unknown,
  { url = bridge.url, bearer = key, type = 'application/json' }: { url?: string; bearer?: string; type?: string } = {},
): Promise<Answer> {
  const response = await fetch(`${url}/api/v1/ingest/executions`, {
    method: 'POST',
    headers: { 'content-type': type, ...(bearer !== '' && { authorization: `Bearer ${bearer}` }) },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  const parsed: unknown = type === 'application/json' || response.status !== 200 ? JSON.parse(text) : {};
  return { status: response.status, headers: response.headers, text, body: isJsonObject(parsed) ? parsed : {} };
}

function resultsOf({ body, text }: Answer): readonly JsonObject[] {
  const listed = member(body, 'results');
  const lines = (): unknown[] =>
    text
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
  return (Array.isArray(listed) ? (listed as unknown[]) : lines()).filter(isJsonObject);
}

describe('one execution', () => {
  it('is certified, and its certificate verifies offline', async () => {
    const { status, headers, body } = await send(execution());
    expect(status).toBe(200);
    expect(headers.get('x-certificate-hash')).toBe(body['certificateHash']);
    const keySet = parseKeySet(await (await fetch(`${node.url}/.well-known/svc-node.json`)).json());
    const evaluation = await evaluateCer(body['cer'], {
      keySet,
      verifiedAt: new Date().toISOString(),
      requireAttestation: true,
    });
    expect(evaluation).toMatchObject({ status: 'VERIFIED', certificateHash: body['certificateHash'] });
  });

  it('gets the node’s refusal unchanged', async () => {
    const request = execution();
    await send(request);
    const conflict = await send({ ...request, output: 'Something else.' });
    expect(conflict.status).toBe(409);
    expect(conflict.body).toMatchObject({ error: 'EXECUTION_MUTATION_DETECTED' });
    const missing = await send({ provider: 'example' });
    expect(missing.status).toBe(400);
    expect(missing.body).toMatchObject({
      error: 'VALIDATION_ERROR',
      details: expect.arrayContaining(['model: is required']),
    });
  });

  it('returns no openings of sealed content', async () => {
    const { status, text } = await send(
      execution({
        protocolVersion: '1.3.1',
        prompt: 'p',
        parameters: { temperature: 0, maxTokens: 5, topP: null, seed: null },
      }),
    );
    expect(status).toBe(200);
    expect(text).not.toContain('openings');
  });

  it('refuses execution ids reserved for spans', async () => {
    const { status, body } = await send(execution({ executionId: 'otel:1:2' }));
    expect(status).toBe(400);
    expect(body).toEqual({ error: 'VALIDATION_ERROR: executionId: must not begin with otel:' });
  });

  it('is refused below the account’s minimum protocol', async () => {
    const strict = controlPlane.newKey(controlPlane.newTenant({ minimumProtocol: '1.3.0' }));
    expect((await send(execution(), { bearer: strict })).status).toBe(400);
    expect((await send(execution({ protocolVersion: '1.3.0' }), { bearer: strict })).status).toBe(200);
  });
});

describe('a batch', () => {
  it('answers 200 with one result per item', async () => {
    const executions = Array.from({ length: 20 }, () => execution());
    const answer = await send({ executions });
    expect(answer.status).toBe(200);
    const results = resultsOf(answer);
    expect(results.map(({ index }) => index)).toEqual(executions.map((_, index) => index));
    expect(
      results.every(
        (result) => Object.keys(result).sort().join() === 'certificateHash,index,ok,status,verificationUrl',
      ),
    ).toBe(true);
    expect(results[3]).toMatchObject({
      ok: true,
      status: 200,
      verificationUrl: expect.stringContaining('https://verify.example/c/sha256%3A'),
    });
  });

  it('answers 207 when results differ', async () => {
    const first = execution();
    const answer = await send({
      executions: [first, { provider: 1 }, first, { ...first, output: 'x' }, execution({ executionId: 'otel:x' })],
    });
    expect(answer.status).toBe(207);
    expect(resultsOf(answer).map(({ status }) => status)).toEqual([200, 400, 200, 409, 400]);
    const [once, , again] = resultsOf(answer);
    expect(again?.['certificateHash']).toBe(once?.['certificateHash']);
  });

  it.each([
    ['with line breaks', (body: JsonObject) => JSON.stringify(body, null, 2)],
    ['with members beside the list', (body: JsonObject) => JSON.stringify({ ...body, sent: [1] })],
    ['with an escaped name', (body: JsonObject) => JSON.stringify(body).replace('executions', '\\u0065xecutions')],
  ])('is read however its JSON is written: %s', async (_, written) => {
    const answer = await send(
      written({ executions: [execution(), { provider: 1 }, execution({ output: ['},\n"]'] })] }),
    );
    expect(resultsOf(answer).map(({ status }) => status)).toEqual([200, 400, 200]);
  });

  it.each([
    ['{"executions":[{"a":1},{"b":[{"c":1,"c":1}]}]}', 'executions[1].b[0].c: duplicate key'],
    ['{"executions":[{"a":1},\n{"b":}]}', 'not valid JSON: line 2, column 6: expected a value'],
    ['{"executions":[{"a":1},]}', 'not valid JSON: line 1, column 24: expected a value'],
    ['{"executions":[{"a":1}]]}', 'not valid JSON: line 1, column 24: expected "," or "}"'],
    ['{"executions":[{"a":1e999}]}', 'executions[0].a: number too large'],
  ])('has its faults where they are in the whole body: %j', async (body, error) => {
    const answer = await send(body);
    expect([answer.status, answer.body['error']]).toEqual([400, error]);
  });

  it.each([[{ executions: [] }], [{ executions: 'x' }], [{ executions: Array.from({ length: 501 }, () => ({})) }]])(
    'is refused whole unless a list of 1 to 500',
    async (body) => {
      const answer = await send(body);
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual({ error: 'executions: must be a list of 1 to 500 certify requests' });
    },
  );
});

describe('an NDJSON stream', () => {
  it('is answered in the order of its lines', async () => {
    const same = execution();
    const lines = Array.from({ length: 1200 }, (_, at) =>
      JSON.stringify(at % 300 === 7 ? { ...same, output: `v${at}` } : execution()),
    );
    lines[5] = '{"provider": ';
    const answer = await send(`${lines.join('\n')}\n`, { type: 'application/x-ndjson' });
    expect(answer.status).toBe(200);
    const results = resultsOf(answer);
    expect(results.map(({ index }) => index)).toEqual(lines.map((_, at) => at));
    const statuses = results.flatMap(({ status }, at) => (status === 200 ? [] : [[at, status]]));
    // The first of the four is certified in any division into batches.
    expect(statuses).toEqual([
      [5, 400],
      [307, 409],
      [607, 409],
      [907, 409],
    ]);
  });

  it('names a faulty line, with unseen characters by number', async () => {
    const lines = ['{"\u202egnp": 1e999}', Buffer.from('{"a": 1}', 'utf16le').toString('latin1')];
    const results = resultsOf(await send(`${lines.join('\n')}\n`, { type: 'application/x-ndjson' }));
    expect(results).toMatchObject([
      { status: 400, error: 'VALIDATION_ERROR: ["\\u{202e}gnp"]: number too large' },
      { status: 400, error: expect.stringMatching(/^VALIDATION_ERROR: UTF-16 text: encode it as UTF-8/) },
    ]);
  });

  it('ends with a line that says why it cannot be unpacked', async () => {
    const packed = gzipSync(`${JSON.stringify(execution())}\n`);
    const response = await fetch(`${bridge.url}/api/v1/ingest/executions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-ndjson',
        'content-encoding': 'gzip',
        authorization: `Bearer ${key}`,
      },
      body: packed.subarray(0, -4),
    });
    expect(response.status).toBe(200);
    const lines = (await response.text()).trim().split('\n');
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ ok: false, status: 400, error: 'body: is not valid gzip' });
  });

  it('is answered while it is still being sent', async () => {
    const headers = { 'content-type': 'application/x-ndjson', authorization: `Bearer ${key}` };
    const sending = request(`${bridge.url}/api/v1/ingest/executions`, { method: 'POST', headers });
    sending.write(`${JSON.stringify(execution())}\n`);
    const [answer] = (await once(sending, 'response')) as [IncomingMessage];
    const lines = createInterface({ input: answer })[Symbol.asyncIterator]();
    const nextResult = async (): Promise<unknown> => {
      const line = await lines.next();
      return line.done === true ? null : JSON.parse(line.value);
    };
    expect(await nextResult()).toMatchObject({ index: 0, status: 200 });
    sending.write(`${JSON.stringify(execution())}\n`);
    expect(await nextResult()).toMatchObject({ index: 1, status: 200 });
    sending.end();
    expect(await nextResult()).toBeNull();
  });
});

describe('a caller', () => {
  it.each([
    ['no key', ''],
    ['a malformed key', 'cer_live_short'],
    ['an unknown key', `cer_live_${'A'.repeat(43)}`],
  ])('is refused with %s', async (_, bearer) => {
    const { status, body } = await send(execution(), { bearer });
    expect(status).toBe(401);
    expect(body).toEqual({ error: 'Authentication required' });
  });

  it.each<[string, Partial<StubTenant>, string[] | undefined, string]>([
    ['the account is suspended', { accountStatus: 'suspended' as const }, undefined, 'This account is suspended'],
    ['the plan has no bridge', { bridge: false }, undefined, 'The evidence bridge is not part of this account'],
    ['the key may not ingest', {}, ['certify'], 'The key lacks the scope ingest'],
    ['the key may not certify', {}, ['ingest'], 'The key lacks the scope certify'],
  ])('learns why when %s', async (_, members, scopes, sentence) => {
    const bearer = controlPlane.newKey(controlPlane.newTenant(members), scopes);
    const { status, body } = await send(execution(), { bearer });
    expect(status).toBe(403);
    expect(body).toEqual({ error: sentence });
  });

  it('is refused while the control plane is gone', async () => {
    const bearer = controlPlane.newKey(controlPlane.newTenant());
    controlPlane.isDown = true;
    const { status, body } = await send(execution(), { bearer });
    controlPlane.isDown = false;
    expect(status).toBe(503);
    expect(body).toEqual({ error: 'Accounts cannot be checked now: retry' });
  });
});

describe('a plan', () => {
  it('limits requests per minute, a batch counting once', async () => {
    const limits = { requestsPerMinute: 2, executionsPerMonth: null };
    const bearer = controlPlane.newKey(controlPlane.newTenant({ limits }));
    // Two of them may fall into different minutes.
    const statuses = [];
    for (let at = 0; at < 6; at += 1)
      statuses.push((await send({ executions: [execution(), execution()] }, { bearer })).status);
    expect(statuses).toContain(429);
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(4);
  });

  it('limits executions per month, without repeated ones', async () => {
    const limits = { requestsPerMinute: null, executionsPerMonth: 3 };
    const own = controlPlane.newTenant({ limits });
    const bearer = controlPlane.newKey(own);
    await send({ executions: [{}, {}] }, { bearer });
    const times = { createdAt: '2026-01-01T00:00:00Z', timestamp: '2026-01-01T00:00:00Z' };
    const executions = Array.from({ length: 4 }, () => execution(times));
    const results = resultsOf(await send({ executions }, { bearer }));
    // They are certified concurrently: any of them may be the last.
    expect(results.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 429]);
    const refused = results.find(({ status }) => status === 429);
    expect(refused?.['error']).toBe('QUOTA_EXCEEDED: the executions of this month are used up');
    const replay = await send(executions[results.findIndex(({ status }) => status === 200)], { bearer });
    expect(replay.status).toBe(200);
    const single = await send(execution(), { bearer });
    expect(single.status).toBe(429);
    const [listed] = await bridge.store.ingests.newest(own.tenantId, 1, 'refused');
    expect(listed).toMatchObject({ status: 429, reason: 'QUOTA_EXCEEDED: the executions of this month are used up' });
    expect(single.body).toMatchObject({ error: 'QUOTA_EXCEEDED' });
    expect(Number(single.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  });
});

describe('the node', () => {
  it('may be gone: items answer 503', async () => {
    const gone = await startTestBridge({ nodeUrl: 'http://127.0.0.1:9', controlPlaneUrl: controlPlane.url });
    const executions = [execution(), execution()];
    const answer = await send({ executions }, { url: gone.url });
    expect(answer.status).toBe(207);
    expect(resultsOf(answer).map(({ status, ok }) => [status, ok])).toEqual([
      [503, false],
      [503, false],
    ]);
    const single = await send(executions[0], { url: gone.url });
    expect([single.status, single.headers.get('retry-after')]).toEqual([503, '1']);
    await gone.close();
    expect(resultsOf(await send({ executions })).map(({ status }) => status)).toEqual([200, 200]);
  });

  it('may refuse a batch until Retry-After', async () => {
    const busy = await serve(
      (_request, response) => {
        response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '7' });
        response.end('{"error":"RATE_LIMITED","message":"too many requests with this API key: wait"}');
      },
      { host: '127.0.0.1', port: 0, logger: silentLogger() },
    );
    const own = controlPlane.newTenant();
    const bearer = controlPlane.newKey(own);
    const limited = await startTestBridge({ nodeUrl: busy.url, controlPlaneUrl: controlPlane.url });
    const reason = 'RATE_LIMITED: too many requests with this API key: wait';
    const answer = await send({ executions: [execution(), execution()] }, { url: limited.url, bearer });
    expect(answer.status).toBe(207);
    expect(resultsOf(answer).map(({ status, error }) => [status, error])).toEqual([
      [429, reason],
      [429, reason],
    ]);
    const single = await send(execution(), { url: limited.url, bearer });
    expect([single.status, single.headers.get('retry-after'), single.body['error']]).toEqual([
      429,
      '7',
      'RATE_LIMITED',
    ]);
    const exported = await fetch(`${limited.url}/v1/traces`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${bearer}` },
      body: JSON.stringify(exportOf(span())),
    });
    expect([exported.status, exported.headers.get('retry-after')]).toEqual([429, '7']);
    expect(await exported.json()).toEqual({ error: reason });
    expect(await limited.store.ingests.newest(own.tenantId, 1, 'refused')).toMatchObject([{ status: 429, reason }]);
    await limited.close();
    await busy.close();
  });

  it('is refused when its certificates do not verify', async () => {
    const foreign = await startTestBridge({
      nodeUrl: node.url,
      controlPlaneUrl: controlPlane.url,
      replace: () => ({ nodeKeys: { keySetWith: async () => parseKeySet({ nodeId: 'other', keys: [] }) } }),
    });
    const answer = await send({ executions: [execution()] }, { url: foreign.url });
    expect(resultsOf(answer)[0]).toMatchObject({
      ok: false,
      status: 502,
      certificateHash: null,
      error: 'The certificate that the node returned does not verify',
    });
    await foreign.close();
  });
});

describe('stored data', () => {
  it('reports usage once, also after a lost answer', async () => {
    const own = controlPlane.newTenant();
    await send({ executions: [execution(), execution(), {}] }, { bearer: controlPlane.newKey(own) });
    controlPlane.isDown = true;
    await bridge.usage.flush();
    controlPlane.isDown = false;
    await bridge.usage.flush();
    const items = controlPlane.usage
      .flatMap((report) => report.items)
      .filter((item) => item['tenantId'] === own.tenantId);
    expect(items).toEqual([{ tenantId: own.tenantId, kind: 'ingest', count: 2 }]);
  });

  it('reports executions that never reached the node', async () => {
    const own = controlPlane.newTenant();
    const bearer = controlPlane.newKey(own);
    const executionId = randomUUID();
    const ofSpan = { ...execution(), executionId: 'otel:1' };
    await send({ executions: [execution({ executionId }), ofSpan, {}, ofSpan] }, { bearer });
    await send({ executions: [execution({ executionId, output: 'another' })] }, { bearer });
    await send(ofSpan, { bearer });
    await bridge.refusals.flush();
    const items = controlPlane.usage
      .flatMap((report) => report.items)
      .filter((item) => item['tenantId'] === own.tenantId);
    expect(items).toEqual([{ tenantId: own.tenantId, kind: 'refused', count: 3 }]);
  });

  it('contains neither keys nor content', async () => {
    await send(execution({ input: 'SECRET-INPUT', output: 'SECRET-OUTPUT' }));
    await send({ executions: [{ provider: 'example', input: ['SECRET-INPUT'] }] });
    await send('{"input": "SECRET-INPUT"', { type: 'application/x-ndjson' });
    const file = bridge.databaseUrl.replace('sqlite:', '');
    const stored = [file, `${file}-wal`].map((path) => readFileSync(path, 'latin1')).join('');
    expect(stored).toContain(tenant.tenantId);
    for (const secret of [key, 'SECRET-INPUT', 'SECRET-OUTPUT', 'What?', 'That.']) {
      expect(bridge.log.join('\n')).not.toContain(secret);
      expect(stored).not.toContain(secret);
    }
  });
});
