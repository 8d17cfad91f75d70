// The evidence bridge: a stream of executions compared with certify of the node in the same run, the decoding and
// mapping of OTLP, and the bridge's memory during a long stream.
import { execFileSync, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import { launchArguments } from '../scripts/services/launch.mjs';
import { caseOf, measure, median, rateOf, ratio } from './measure.mjs';
import { somePort } from './some-port.mjs';

const root = `${import.meta.dirname}/..`;
const apiKey = `cer_live_${'b'.repeat(43)}`;
const SERVICE_TOKEN = 'bench-service-token';
const MIB = 1024 * 1024;

/** About 1.6 KB, as in the cases of the node. */
const execution = (id) => ({
  executionId: `bench-${id}`,
  provider: 'example',
  model: 'example-large-2',
  input: 'What does a certificate prove, and to whom? '.repeat(12),
  output: 'That this content was described, at this time, by this node. '.repeat(6),
  parameters: { temperature: 0.2, maxTokens: 512, topP: 0.95, seed: 42 },
  signals: [{ type: 'policy.check', source: 'bench', payload: { rule: 'no-secrets', passed: true, score: 0.97 } }],
});

/** Reports full permissions for the one key. */
async function startControlPlane() {
  const keyHash = createHash('sha256').update(apiKey).digest('hex');
  const account = {
    active: true,
    tenantId: 'bench',
    tenantName: 'Bench',
    keyId: 'bench',
    scopes: ['certify', 'ingest', 'register'],
    accountStatus: 'active',
    plan: 'Bench',
    limits: { requestsPerMinute: null, executionsPerMonth: null },
    entitlements: { bridge: true },
    settings: {},
  };
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(JSON.parse(text).keyHash === keyHash ? account : { active: false }));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${server.address().port}` };
}

async function start(name, env) {
  const port = somePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, launchArguments(root, name), {
    cwd: root,
    env: { ...process.env, ...env, PORT: String(port), PUBLIC_URL: url, LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const ready = await fetch(`${url}/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (ready) return { child, url };
    await sleep(100);
  }
  throw new Error(`${name} did not start`);
}

async function certifyRate(url, seconds) {
  const result = await autocannon({
    url: `${url}/v1/cer/ai/certify`,
    method: 'POST',
    connections: 64,
    duration: seconds,
    idReplacement: true,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
    body: JSON.stringify(execution('[<id>]')),
  });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} refusals, ${result.errors} errors`);
  return result['2xx'] / result.duration;
}

/** Sends executions as one stream while reading the results. @returns executions per second, all of them certified */
async function streamRate(url, count, run, padding = '') {
  const lines = function* () {
    for (let at = 0; at < count; at += 1) {
      yield `${JSON.stringify({ ...execution(`${run}-${at}`), ...(padding && { metadata: { padding } }) })}\n`;
    }
  };
  const startedAt = performance.now();
  const sending = httpRequest(`${url}/api/v1/ingest/executions`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson', authorization: `Bearer ${apiKey}` },
  });
  Readable.from(lines()).pipe(sending);
  const [answer] = await once(sending, 'response');
  let certified = 0;
  for await (const line of createInterface({ input: answer })) if (line.includes('"ok":true')) certified += 1;
  if (certified !== count) throw new Error(`${count} were sent, ${certified} certified`);
  return count / ((performance.now() - startedAt) / 1000);
}

/** Resident memory of a process in bytes (Linux). */
function memoryOf({ pid }) {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) * 1024;
}

async function peakMemory(child, work) {
  let peak = memoryOf(child);
  const watching = setInterval(() => (peak = Math.max(peak, memoryOf(child))), 50);
  await work();
  clearInterval(watching);
  return peak;
}

/**
 * @param {{rounds: number, executions: number, seconds: number, streamMib: number}} options
 * @returns the measured cases and their ratios, as `bench/run.mjs` prints them
 */
export async function bridgeCases({ rounds, executions, seconds, streamMib }) {
  const folder = mkdtempSync(join(tmpdir(), 'cer-bench-'));
  const tokenFile = join(folder, 'service-token');
  writeFileSync(tokenFile, SERVICE_TOKEN, { mode: 0o600 });
  const controlPlane = await startControlPlane();
  const toControlPlane = { CONTROL_PLANE_URL: controlPlane.url, CONTROL_PLANE_TOKEN_FILE: tokenFile };
  const nodeEnv = {
    ...toControlPlane,
    DATABASE_URL: `sqlite:${folder}/node.sqlite`,
    KEYS_FILE: `${folder}/keys.json`,
    COMMITMENT_SECRET_FILE: `${folder}/secrets.json`,
  };
  execFileSync(process.execPath, [`${root}/apps/node/dist/main.js`, 'init'], { env: { ...process.env, ...nodeEnv } });
  const running = [];
  const single = [];
  const streamed = [];
  let before;
  let peak;
  try {
    const node = await start('node', nodeEnv);
    running.push(node.child);
    const bridge = await start('bridge', {
      ...toControlPlane,
      NODE_URL: node.url,
      DATABASE_URL: `sqlite:${folder}/bridge.sqlite`,
    });
    running.push(bridge.child);
    await certifyRate(node.url, seconds);
    await streamRate(bridge.url, executions, 'warm');
    for (let round = 0; round < rounds; round += 1) {
      single.push(await certifyRate(node.url, seconds));
      streamed.push(await streamRate(bridge.url, executions, `round-${round}`));
    }
    const padding = 'x'.repeat(64 * 1024);
    const perMib = Math.round(MIB / (padding.length + 1600));
    // Warm-up, so that every buffer has grown to the size of these lines.
    before = await peakMemory(bridge.child, () => streamRate(bridge.url, 20 * perMib, 'before', padding));
    peak = await peakMemory(bridge.child, () => streamRate(bridge.url, streamMib * perMib, 'long', padding));
  } finally {
    for (const child of running) {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
    }
    controlPlane.server.closeAllConnections();
    controlPlane.server.close();
    rmSync(folder, { recursive: true });
  }
  const spans = await spanCases({ rounds, seconds: seconds / 2 });
  return {
    cases: [
      caseOf('certify at the node, 64 connections', 'executions/s', single),
      caseOf(`ingest of ${executions} executions as one stream`, 'executions/s', streamed),
      ...spans,
    ],
    ratios: [
      ratio('B1', 'ingest as a stream / certify at the node', median(streamed) / median(single), 0.8),
      ratio('B2', 'OTLP spans/s/core, decoded and mapped', rateOf(spans, 'OTLP protobuf, decoded and mapped'), 20_000),
      ratio('B3', `memory of the bridge on ${streamMib} MiB / on 20 MiB`, peak / before, 1.5, { atMost: true }),
    ],
  };
}

const SPANS = 500;
const rules = { protocolVersion: '1.2.0', content: 'required' };

/** Runs in this process: one export of GenAI spans in the current conventions. */
async function spanCases({ rounds, seconds }) {
  const { decodeProtobuf } = await import('../apps/bridge/dist/ingest/otlp/wire/decode-protobuf.js');
  const { decodeJson } = await import('../apps/bridge/dist/ingest/otlp/wire/decode-json.js');
  const { spanItems } = await import('../apps/bridge/dist/ingest/otlp/span-items.js');
  const spans = Array.from({ length: SPANS }, () => sampleSpan());
  const protobuf = encodeExport(spans);
  const json = Buffer.from(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: spans.map(jsonSpan) }] }] }));
  const map = async (decoded) => {
    const items = await spanItems(decoded, rules);
    if (items.filter(({ item }) => 'line' in item).length !== SPANS) throw new Error('a span was not mapped');
  };
  const caseFor = (name, run) => ({ name, unit: 'spans/s/core', operations: SPANS, run });
  return measure(
    [
      caseFor('OTLP protobuf, decoded and mapped', () => map(decodeProtobuf(protobuf, SPANS))),
      caseFor('OTLP JSON, decoded and mapped', () => map(decodeJson(json, SPANS))),
    ],
    { rounds, secondsPerRound: seconds },
  );
}

function sampleSpan() {
  const message = (role, content) => [{ role, parts: [{ type: 'text', content }] }];
  return {
    traceId: randomBytes(16),
    spanId: randomBytes(8),
    name: 'chat example-large-2',
    start: 1_767_323_045_678_901_234n,
    end: 1_767_323_046_000_000_000n,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'example',
      'gen_ai.request.model': 'example-large-2',
      'gen_ai.response.model': 'example-large-2-2026-01-01',
      'gen_ai.response.id': 'chatcmpl-0123456789',
      'gen_ai.request.temperature': 0.2,
      'gen_ai.request.max_tokens': 512,
      'gen_ai.request.top_p': 0.95,
      'gen_ai.usage.input_tokens': 118,
      'gen_ai.usage.output_tokens': 64,
      'gen_ai.conversation.id': 'conversation-1',
      'server.address': 'api.example.com',
      'server.port': 443,
      'gen_ai.input.messages': JSON.stringify(
        message('user', 'What does a certificate prove, and to whom? '.repeat(6)),
      ),
      'gen_ai.output.messages': JSON.stringify(message('assistant', 'That this content was described. '.repeat(6))),
    },
  };
}

const anyValue = (value) =>
  typeof value === 'string'
    ? { stringValue: value }
    : Number.isInteger(value)
      ? { intValue: String(value) }
      : { doubleValue: value };

function jsonSpan({ traceId, spanId, name, start, end, attributes }) {
  return {
    traceId: traceId.toString('hex'),
    spanId: spanId.toString('hex'),
    name,
    startTimeUnixNano: String(start),
    endTimeUnixNano: String(end),
    attributes: Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) })),
  };
}

// Encodes protobuf like an exporter.
function varint(value) {
  const bytes = [];
  for (; value >= 0x80; value = Math.floor(value / 0x80)) bytes.push((value % 0x80) | 0x80);
  return Buffer.from([...bytes, value]);
}
const field = (number, body) => Buffer.concat([varint(number * 8 + 2), varint(body.length), body]);
const text = (number, value) => field(number, Buffer.from(value));
function fixed64(number, value) {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return Buffer.concat([varint(number * 8 + 1), bytes]);
}
function protobufValue(value) {
  if (typeof value === 'string') return text(1, value);
  if (Number.isInteger(value)) return Buffer.concat([varint(3 * 8), varint(value)]);
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return Buffer.concat([varint(4 * 8 + 1), bytes]);
}
function encodeExport(spans) {
  const encoded = spans.map(({ traceId, spanId, name, start, end, attributes }) =>
    field(
      2,
      Buffer.concat([
        field(1, traceId),
        field(2, spanId),
        text(5, name),
        fixed64(7, start),
        fixed64(8, end),
        ...Object.entries(attributes).map(([key, value]) =>
          field(9, Buffer.concat([text(1, key), field(2, protobufValue(value))])),
        ),
      ]),
    ),
  );
  return field(1, field(2, Buffer.concat(encoded)));
}
