import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { executionRequest } from '@cer/cer-core/testing';
import { silentLogger } from '@cer/http-service/process';
import { sqliteTestDatabase } from '@cer/sql-store/testing';
import { InMemorySpanExporter, type ReadableSpan } from '@opentelemetry/sdk-trace-base';

import { openTracing, tracesUrlOf } from '../src/tracing/open-tracing.js';
import { tracingTo } from '../src/tracing/otlp-trace.js';
import { ask } from './ask.js';
import { premisesOn, runNode, startNodeProcess } from './node-process.js';
import { startTestNode } from './test-node.js';

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly status: { readonly code: number };
  readonly attributes: readonly { readonly key: string; readonly value: unknown }[];
}

interface TracesExport {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Span['attributes'] };
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
  }[];
}

const SERVER = 2;
const INTERNAL = 1;
const ERROR = 2;

let receiver: Server;
let url: string;
let received: { readonly path: string | undefined; readonly text: string }[];

beforeEach(async () => {
  received = [];
  receiver = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => (text += String(chunk)));
    request.on('end', () => {
      received.push({ path: request.url, text });
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
});
afterEach(async () => {
  receiver.closeAllConnections();
  await new Promise((resolve) => receiver.close(resolve));
});

const exports = (): TracesExport[] => received.map(({ text }) => JSON.parse(text) as TracesExport);
const spans = (): Span[] =>
  exports().flatMap(({ resourceSpans }) =>
    resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
  );
const attribute = ({ attributes }: Pick<Span, 'attributes'>, name: string): unknown =>
  attributes.find(({ key }) => key === name)?.value;

describe('tracing', () => {
  it('records the class of an error, not its message', async () => {
    const exporter = new InMemorySpanExporter();
    const tracing = tracingTo(exporter, '1');
    const failing = tracing.trace('outer', {}, () =>
      tracing.trace('inner', {}, () => Promise.reject(new RangeError('message-secret'))),
    );
    await expect(failing).rejects.toThrow('message-secret');
    await tracing.trace('request', {}, async (note) => {
      note({ 'http.response.status_code': 500 });
    });
    const ended: ReadableSpan[] = [];
    exporter.shutdown = async () => {
      ended.push(...exporter.getFinishedSpans());
    };
    await tracing.close();
    expect(ended.map(({ name, status }) => [name, status])).toEqual([
      ['inner', { code: ERROR }],
      ['outer', { code: ERROR }],
      ['request', { code: ERROR }],
    ]);
    expect(ended[0]?.attributes).toEqual({ 'error.type': 'RangeError' });
    expect(ended[0]?.parentSpanContext?.spanId).toBe(ended[1]?.spanContext().spanId);
  });

  it('does not delay a node with an unreachable receiver', async () => {
    const tracing = await openTracing('http://127.0.0.1:9/v1/traces', '1', silentLogger());
    const node = await startTestNode({ replace: () => ({ trace: tracing?.trace }) });
    const answer = await ask(node, 'post', '/v1/cer/ai/certify', {
      key: await node.newKey(),
      body: executionRequest(),
    });
    expect(answer.status).toBe(200);
    await node.close();
    await tracing?.close();
  });

  it.each([
    [{}, null],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318' }, 'http://c:4318/v1/traces'],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://c/x', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://d' }, 'http://c/x'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c', OTEL_SDK_DISABLED: true }, null],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c', OTEL_TRACES_EXPORTER: 'none' as const }, null],
  ])('follows the variables of OpenTelemetry: %j', (env, expected) => {
    expect(tracesUrlOf({ OTEL_TRACES_EXPORTER: 'otlp', OTEL_SDK_DISABLED: false, ...env })).toBe(expected);
  });
});

describe('a node process', () => {
  it('traces a request, its signatures and its commit', async () => {
    const database = await sqliteTestDatabase();
    const premises = await premisesOn(database);
    const node = await startNodeProcess({ ...premises.env, OTEL_EXPORTER_OTLP_ENDPOINT: url });
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const body = executionRequest({ executionId: 'id-secret', input: 'input-secret', output: 'output-secret' });
    await ask(node, 'post', '/v1/cer/ai/certify', {
      key: premises.key,
      body,
      headers: { traceparent: `00-${traceId}-b7ad6b7169203331-01`, tracestate: 'a=b', baggage: 'user=baggage-secret' },
    });
    await ask(node, 'get', '/v1/resolve/cer/path-secret?q=query-secret', { headers: { traceparent: 'odd' } });
    node.kill('SIGTERM');
    // The last spans are sent before the process ends.
    expect(await node.ended).toMatchObject({ code: 0, stderr: '' });

    expect(new Set(received.map(({ path }) => path))).toEqual(new Set(['/v1/traces']));
    const [resource] = exports().flatMap(({ resourceSpans }) => resourceSpans.map((found) => found.resource));
    expect(resource && attribute(resource, 'service.name')).toEqual({ stringValue: 'execution-certification-node' });

    const ours = spans().filter((span) => span.traceId === traceId);
    const request = ours.find(({ name }) => name === 'POST /v1/cer/ai/certify');
    expect(request).toMatchObject({ kind: SERVER, parentSpanId: 'b7ad6b7169203331' });
    expect(request && attribute(request, 'http.response.status_code')).toEqual({ intValue: 200 });
    const children = ours.filter((span) => span !== request);
    expect(new Set(children.map(({ name }) => name))).toEqual(new Set(['signer sign', 'store commit']));
    for (const child of children) expect(child).toMatchObject({ kind: INTERNAL, parentSpanId: request?.spanId });

    const stranger = spans().find(({ name }) => name === 'GET /v1/resolve/cer/:hash');
    expect(stranger?.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(stranger?.parentSpanId ?? '').toBe('');
    const [tenant] = await database.query('select tenant_id, key_id from api_keys');
    const text = JSON.stringify(received);
    for (const secret of ['secret', premises.key, String(tenant?.['tenant_id']), String(tenant?.['key_id'])]) {
      expect(text).not.toContain(secret);
    }
    premises.remove();
    await database.remove();
  });

  const HOOKS = `export const resolve = async (name, context, next) => {
    if (name.startsWith('@opentelemetry/')) throw new Error('loads ' + name);
    return next(name, context);
  };`;
  const REFUSE = `import { register } from 'node:module';
    register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(HOOKS)}));`;
  /** OpenTelemetry cannot be loaded. */
  const without = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(REFUSE)}` };

  it('does not load OpenTelemetry while tracing is off', async () => {
    const database = await sqliteTestDatabase();
    const premises = await premisesOn(database);
    const node = await startNodeProcess({ ...premises.env, ...without });
    expect(
      (await ask(node, 'post', '/v1/cer/ai/certify', { key: premises.key, body: executionRequest() })).status,
    ).toBe(200);
    node.kill('SIGTERM');
    expect(await node.ended).toMatchObject({ code: 0 });
    const refused = await runNode([], { ...premises.env, ...without, PORT: '0', OTEL_EXPORTER_OTLP_ENDPOINT: url });
    expect(refused.code).toBe(1);
    premises.remove();
    await database.remove();
  });
});
