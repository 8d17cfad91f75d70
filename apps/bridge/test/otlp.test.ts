import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { gzipSync } from 'node:zlib';
import { isJsonObject, member, type JsonObject } from '@cer/canonical-json';
import { startBridgeBesideNode, type BridgeBesideNode } from './bridge-beside-node.js';
import { attributesOf, exportOf, GEN_AI, span } from './otlp-json.js';
import type { StubControlPlane, StubTenant } from './stub-control-plane.js';
import { startTestBridge, TEST_LIMITS, type TestBridge } from './test-bridge.js';

let services: BridgeBesideNode;
let controlPlane: StubControlPlane;
let bridge: TestBridge;
let tenant: StubTenant;
let key: string;

beforeAll(async () => {
  services = await startBridgeBesideNode();
  ({ controlPlane, bridge } = services);
  tenant = controlPlane.newTenant();
  key = controlPlane.newKey(tenant);
});
afterAll(() => services.close());

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';

interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly rejected: number;
  readonly message: string;
}

async function post(
  body: string | Uint8Array,
  { query = '', type = 'application/json', bearer = key, encoding = '', url = bridge.url } = {},
): Promise<Answer> {
  const response = await fetch(`${url}/v1/traces${query}`, {
    method: 'POST',
    headers: {
      'content-type': type,
      authorization: `Bearer ${bearer}`,
      ...(encoding && { 'content-encoding': encoding }),
    },
    body: typeof body === 'string' ? body : new Uint8Array(body),
  });
  const text = await response.text();
  const parsed: unknown = type === 'application/json' || !response.ok ? JSON.parse(text) : text;
  const partial = isJsonObject(parsed) ? member(parsed, 'partialSuccess') : undefined;
  const of = (name: string): string => {
    const value = isJsonObject(partial) ? member(partial, name) : undefined;
    return typeof value === 'string' ? value : '';
  };
  return {
    status: response.status,
    body: parsed,
    rejected: Number(of('rejectedSpans')),
    message: of('errorMessage'),
  };
}

const send = (spans: readonly JsonObject[], options: Parameters<typeof post>[1] = {}): Promise<Answer> =>
  post(JSON.stringify(exportOf(...spans)), options);

async function newest(outcome?: 'certified' | 'refused'): Promise<JsonObject> {
  const [ingest] = await bridge.store.ingests.newest(tenant.tenantId, 1, outcome);
  return { ...ingest };
}

describe('the OTLP endpoint', () => {
  it('certifies model calls, accepts other spans silently', async () => {
    const calls = [span(), span(GEN_AI, { traceId: TRACE_ID, spanId: '00f067aa0ba902b7' })];
    const answer = await send([span({ 'http.request.method': 'GET' }), ...calls]);
    expect(answer).toMatchObject({ status: 200, body: {} });
    expect(await newest()).toMatchObject({
      source: 'otlp',
      outcome: 'certified',
      executionId: `otel:${TRACE_ID}:00f067aa0ba902b7`,
      provider: 'openai',
      model: 'gpt-4o',
    });
  });

  it('replays a repeated span, reports both hashes of a changed one', async () => {
    const call = span();
    await send([call]);
    const first = await newest();
    expect(await send([call])).toMatchObject({ status: 200, body: {} });
    expect((await newest())['certificateHash']).toBe(first['certificateHash']);
    const changed = { ...call, attributes: attributesOf({ ...GEN_AI, 'gen_ai.output.messages': '[]' }) };
    const answer = await send([changed]);
    expect(answer.rejected).toBe(1);
    expect(answer.message).toMatch(/^1 refused: EXECUTION_MUTATION_DETECTED/);
    const conflict = await newest('refused');
    expect(conflict).toMatchObject({ status: 409, certificateHash: first['certificateHash'] });
    expect(conflict['submittedHash']).toMatch(/^sha256:[0-9a-f]{64}$/);
  });

  it('counts and explains what it refuses', async () => {
    const without = { ...GEN_AI, 'gen_ai.output.messages': '', 'gen_ai.response.finish_reasons': ['stop'] };
    const answer = await send([
      span(),
      span(without),
      span(without),
      span({ ...GEN_AI, 'gen_ai.provider.name': '' }),
      span(GEN_AI, { endTimeUnixNano: '0' }),
      span(GEN_AI, { spanId: '0000000000000000' }),
      span(GEN_AI, { parentSpanId: 'a'.repeat(1000) }),
    ]);
    expect(answer.status).toBe(200);
    expect(answer.rejected).toBe(6);
    expect(answer.message.split('; ')).toEqual([
      '2 refused: the span holds no output: record content, or send with ?content=optional',
      '1 refused: the span names no provider',
      '1 refused: the span has no start or no end',
      '1 refused: the span has no valid span id',
      '1 refused: the span has a malformed parent span id',
    ]);
  });

  it('certifies a span that lost attributes without its content', async () => {
    for (const droppedAttributesCount of [2, '2']) {
      expect(await send([span(GEN_AI, { droppedAttributesCount })])).toMatchObject({ status: 200, body: {} });
    }
    expect((await send([span(GEN_AI, { droppedAttributesCount: -1 })])).body).toEqual({
      error: 'droppedAttributesCount: must be a whole number from 0',
    });
  });

  it('certifies calls without content when it is asked to', async () => {
    const { 'gen_ai.input.messages': input, 'gen_ai.output.messages': output, ...without } = GEN_AI;
    expect([input, output]).not.toContain(undefined);
    expect(await send([span(without)], { query: '?content=optional' })).toMatchObject({ status: 200, body: {} });
  });

  it('certifies one of parent and child in two exports at once', async () => {
    const other = controlPlane.newTenant();
    const bearer = controlPlane.newKey(other);
    const tools = Array.from({ length: TEST_LIMITS.otlpSpanLimit - 1 }, () =>
      span({ 'gen_ai.operation.name': 'execute_tool' }),
    );
    for (const traceId of ['1', '2', '3'].map((digit) => digit.repeat(32))) {
      const parent = span(GEN_AI, { traceId, spanId: 'a'.repeat(16) });
      const child = span(GEN_AI, { traceId, spanId: 'b'.repeat(16), parentSpanId: 'a'.repeat(16) });
      const answers = await Promise.all(
        [child, parent].map((call) => post(JSON.stringify(exportOf(call, ...tools)), { bearer })),
      );
      expect(answers.map(({ status, rejected }) => [status, rejected])).toEqual([
        [200, 0],
        [200, 0],
      ]);
    }
    expect(await bridge.store.ingests.newest(other.tenantId, 10, 'certified')).toHaveLength(3);
  });

  it('seals under 1.3.1 only spans with the required numbers', async () => {
    const { 'gen_ai.request.max_tokens': maxTokens, ...without } = GEN_AI;
    expect(maxTokens).toBe(100);
    const answer = await send([span(), span(without)], { query: '?protocol=1.3.1' });
    expect(answer).toMatchObject({
      rejected: 1,
      message:
        '1 refused: protocol 1.3.1 needs the numbers temperature and max_tokens of the request: the span records no max_tokens',
    });
  });

  it('never undercuts the account’s minimum protocol', async () => {
    const bearer = controlPlane.newKey(controlPlane.newTenant({ minimumProtocol: '1.3.0' }));
    expect((await send([span()], { bearer, query: '?protocol=1.2.0' })).status).toBe(400);
    expect((await send([span()], { bearer })).status).toBe(200);
  });

  it.each(['?protocols=1.3.1', '?protocol=2', '?content=', '?project=all', '?protocol=1.3.0&protocol=1.3.0'])(
    'refuses the address %s',
    async (query) => {
      expect((await send([span()], { query })).status).toBe(400);
    },
  );

  it('is retried by exporters while the node is gone', async () => {
    const gone = await startTestBridge({ nodeUrl: 'http://127.0.0.1:9', controlPlaneUrl: controlPlane.url });
    expect((await send([span()], { url: gone.url })).status).toBe(503);
    await gone.close();
  });
});

describe('a hostile export', () => {
  const varint = (value: number): number[] =>
    value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)];
  const field = (number: number, body: Uint8Array): Buffer =>
    Buffer.concat([Buffer.from([...varint((number << 3) | 2), ...varint(body.length)]), body]);
  const protobuf = 'application/x-protobuf';

  it('is refused before unpacking when it expands too much', async () => {
    const bomb = gzipSync(Buffer.alloc(TEST_LIMITS.otlpUnpackedLimitBytes + 1, 0x20));
    const answer = await post(bomb, { encoding: 'gzip' });
    expect(answer.status).toBe(413);
  });

  it('of more spans than the limit is refused', async () => {
    const spans = Buffer.concat(
      Array.from({ length: TEST_LIMITS.otlpSpanLimit + 1 }, () => field(2, new Uint8Array(0))),
    );
    const body = field(1, field(2, spans));
    expect(await post(body, { type: protobuf })).toMatchObject({
      status: 413,
      body: { error: 'spans: must be at most 2000' },
    });
    const json = exportOf(...Array.from({ length: TEST_LIMITS.otlpSpanLimit + 1 }, () => ({})));
    expect((await post(JSON.stringify(json))).status).toBe(413);
  });

  it('with attributes nested without end is refused', async () => {
    let value: Buffer = Buffer.alloc(0);
    for (let depth = 0; depth < 20_000; depth += 1) value = field(5, field(1, value));
    const attribute = Buffer.concat([field(1, Buffer.from('a')), field(2, value)]);
    const body = field(1, field(2, field(2, field(9, attribute))));
    expect(await post(body, { type: protobuf })).toMatchObject({ status: 400 });
    const text = `{"resourceSpans":[{"scopeSpans":[{"spans":[{"attributes":[{"key":"a","value":${'{"arrayValue":{"values":['.repeat(5000)}`;
    expect((await post(text)).status).toBe(400);
  });

  it.each<[string, Uint8Array]>([
    ['random bytes', Uint8Array.from({ length: 64 }, (_, at) => (at * 37 + 255) % 256)],
    ['a length beyond the end', Uint8Array.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f])],
    ['a number that does not end', new Uint8Array(32).fill(0xff)],
    ['groups', Uint8Array.from([0x0b, 0x0b, 0x0b])],
    ['text that is not UTF-8', field(1, field(2, field(2, field(5, Uint8Array.from([0xff])))))],
    ['a field of another layout', field(1, field(2, field(2, Uint8Array.from([0x38, 0x01]))))],
  ])('of %s is refused', async (_, body) => {
    expect((await post(body, { type: protobuf })).status).toBe(400);
  });

  it.each(['', '[]', '{"resourceSpans":5}', '{"resourceSpans":[5]}', '{"resourceSpans":[', 'not json'])(
    'of the text %j is refused',
    async (text) => {
      expect((await post(text)).status).toBe(400);
    },
  );

  it('that is not the declared gzip is refused', async () => {
    expect((await post('{}', { encoding: 'gzip' })).status).toBe(400);
  });

  it('with bytes behind the end of its gzip is refused', async () => {
    const packed = Buffer.concat([gzipSync('{"resourceSpans":[]}'), Buffer.from('\0more')]);
    const answer = await post(packed, { encoding: 'gzip' });
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([400, expect.stringContaining('behind the end')]);
  });

  it('may name gzip by its old name', async () => {
    const bomb = gzipSync(Buffer.alloc(TEST_LIMITS.otlpUnpackedLimitBytes + 1, 0x20));
    expect((await post(bomb, { encoding: 'x-gzip' })).status).toBe(413);
    expect((await post(gzipSync('not json'), { encoding: 'x-gzip' })).status).toBe(400);
  });

  it('is refused with an unknown media type or coding', async () => {
    expect((await post('{}', { type: 'text/plain' })).status).toBe(415);
    expect((await post('{}', { encoding: 'br' })).status).toBe(415);
  });

  it('is refused before its body is read without the ingest scope', async () => {
    const bearer = controlPlane.newKey(tenant, ['certify']);
    expect(await post('broken', { bearer })).toMatchObject({
      status: 403,
      body: { error: 'The key lacks the scope ingest' },
    });
  });
});
