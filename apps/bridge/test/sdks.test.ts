import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isJsonObject, member, svcV1, type JsonObject } from '@cer/canonical-json';
import { hashValue } from '@cer/cer-core';
import { startBridgeBesideNode, type BridgeBesideNode } from './bridge-beside-node.js';
import { startFakeModelServer, type FakeModelServer } from './fake-model-server.js';
import type { NodeProcess } from './service-process.js';
import type { StubControlPlane } from './stub-control-plane.js';
import type { TestBridge } from './test-bridge.js';

let services: BridgeBesideNode;
let controlPlane: StubControlPlane;
let node: NodeProcess;
let bridge: TestBridge;
let models: FakeModelServer;

beforeAll(async () => {
  [services, models] = await Promise.all([startBridgeBesideNode(), startFakeModelServer()]);
  ({ controlPlane, node, bridge } = services);
});
afterAll(async () => {
  await Promise.all([services.close(), models.close()]);
});

/** Outcomes of an application's calls: certificates as `model outcome input/output`, and refusals with reasons. */
interface Result {
  readonly certified: readonly string[];
  readonly refused: readonly string[];
  readonly certificates: readonly JsonObject[];
}

/** Runs an application whose exporter has nothing but an address and a key. */
async function run(app: string, { query = '', env = {} } = {}): Promise<Result> {
  const tenant = controlPlane.newTenant();
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [join(__dirname, 'sdk-apps', app)], {
    env: {
      PATH: process.env['PATH'] ?? '',
      MODEL_URL: models.url,
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${bridge.url}/v1/traces${query}`,
      OTEL_EXPORTER_OTLP_HEADERS: `Authorization=Bearer%20${controlPlane.newKey(tenant)}`,
      ...env,
    },
  });
  expect(stdout + stderr).not.toContain('Error:');
  const [certified, refused] = await Promise.all([
    bridge.store.ingests.newest(tenant.tenantId, 50, 'certified'),
    bridge.store.ingests.newest(tenant.tenantId, 50, 'refused'),
  ]);
  const certificates = await Promise.all(certified.map(({ certificateHash }) => publicCer(certificateHash ?? '')));
  for (const certificate of certificates) expect(JSON.stringify(certificate)).not.toContain('CONTENT-');
  return {
    certified: certificates.map(lineOf).sort(),
    refused: refused.map(({ reason }) => reason ?? '').sort(),
    certificates,
  };
}

async function publicCer(certificateHash: string): Promise<JsonObject> {
  const url = `${node.url}/v1/cer/public?certificate_hash=${encodeURIComponent(certificateHash)}`;
  const lookup: unknown = await (await fetch(url)).json();
  const cer = isJsonObject(lookup) ? member(lookup, 'cer') : undefined;
  if (!isJsonObject(cer)) throw new Error('no such record');
  return cer;
}

function objectIn(value: unknown, ...path: readonly string[]): JsonObject {
  const found = path.reduce<unknown>(
    (holder, name) => (isJsonObject(holder) ? member(holder, name) : undefined),
    value,
  );
  return isJsonObject(found) ? found : {};
}

function payloadOf(cer: JsonObject): JsonObject {
  const signals = member(objectIn(cer, 'context'), 'signals');
  const [signal] = Array.isArray(signals) ? (signals as unknown[]) : [];
  return objectIn(signal, 'payload');
}

function lineOf(cer: JsonObject): string {
  const payload = payloadOf(cer);
  const unrecorded = objectIn(payload, 'unrecorded');
  const text = (holder: JsonObject, name: string, otherwise: string): string => {
    const value = member(holder, name);
    return typeof value === 'string' ? value : otherwise;
  };
  const sides = ['input', 'output'].map((side) => text(unrecorded, side, 'whole'));
  return [text(objectIn(cer, 'snapshot'), 'model', '-'), text(payload, 'outcome', '-'), sides.join('/')].join(' ');
}

function certificateOf({ certificates }: Result, model: string): JsonObject {
  const found = certificates.find((cer) => member(objectIn(cer, 'snapshot'), 'model') === model);
  if (found === undefined) throw new Error('no such certificate');
  return found;
}

const WITH_CONTENT = { ANTHROPIC_OPEN_TELEMETRY_TRACES_CONTENT_MODE: 'content' };

describe('@anthropic-ai/sdk 1.12', () => {
  it('has every call certified with its outcome', async () => {
    const result = await run('anthropic.mjs', { env: WITH_CONTENT });
    expect(result).toMatchObject({
      certified: [
        'fake-abort aborted whole/whole',
        'fake-answer complete whole/whole',
        'fake-end failed whole/whole',
        'fake-error failed whole/failed',
        'fake-limit truncated whole/whole',
        // The SDK records that there was a picture, and not the picture.
        'fake-picture complete parts-left-out/whole',
        'fake-stream complete whole/whole',
        'fake-tools complete whole/whole',
      ],
      refused: [],
    });
    const messages = [{ role: 'assistant', parts: [{ type: 'text', content: 'CONTENT-' }] }];
    expect(objectIn(certificateOf(result, 'fake-abort'), 'snapshot')).toMatchObject({
      outputHash: hashValue({ messages }, svcV1, 'output'),
    });
    expect(payloadOf(certificateOf(result, 'fake-error'))).toMatchObject({
      projection: 'otel.v2',
      error: { type: 'invalid_request_error', httpStatus: 400 },
    });
  });

  it('has content that it cut certified as unrecorded', async () => {
    const env = { ...WITH_CONTENT, ANTHROPIC_OPEN_TELEMETRY_TRACES_MAX_CONTENT_BYTES: '200' };
    const result = await run('anthropic.mjs', { env });
    const payload = payloadOf(certificateOf(result, 'fake-answer'));
    expect(payload).toMatchObject({
      outcome: 'complete',
      contentRecorded: { input: false, output: false },
      unrecorded: { input: 'truncated', output: 'truncated' },
    });
    expect(objectIn(certificateOf(result, 'fake-answer'), 'snapshot')).toMatchObject({
      inputHash: hashValue(
        { contentRecorded: false, spanName: 'anthropic.messages.create', operation: 'chat' },
        svcV1,
        'input',
      ),
    });
  });

  it('certifies content cut by a length limit as unrecorded', async () => {
    const env = { ...WITH_CONTENT, OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT: '128' };
    const { certified } = await run('anthropic.mjs', { env });
    expect(certified).toContain('fake-answer complete length-limit/length-limit');
  });

  it('has attributes over a count limit certified as unrecorded', async () => {
    const env = { ...WITH_CONTENT, OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT: '16' };
    const { certified } = await run('anthropic.mjs', { env });
    expect(certified).toContain('fake-answer complete attributes-dropped/attributes-dropped');
  });

  it('works with two variables when content is optional', async () => {
    const { certified, refused } = await run('anthropic.mjs', { query: '?content=optional' });
    expect(refused).toEqual([]);
    expect(certified).toContain('fake-answer complete not-recorded/not-recorded');
    expect(certified).toContain('fake-abort aborted not-recorded/aborted');
  });

  it('needs a temperature in its spans under 1.3.1', async () => {
    const { certified, refused } = await run('anthropic.mjs', { query: '?protocol=1.3.1', env: WITH_CONTENT });
    expect(certified).toEqual([]);
    expect(new Set(refused)).toEqual(
      new Set([
        'protocol 1.3.1 needs the numbers temperature and max_tokens of the request: the span records no temperature',
      ]),
    );
    const stated = await run('anthropic.mjs', {
      query: '?protocol=1.3.1',
      env: { ...WITH_CONTENT, TEMPERATURE: '0.5' },
    });
    expect(stated.refused).toEqual([]);
    expect(stated.certified).toHaveLength(8);
    for (const certificate of stated.certificates) {
      expect(objectIn(certificate, 'snapshot', 'parameters')).toMatchObject({ temperature: 0.5 });
    }
  });

  it('gives one certificate under OpenInference too', async () => {
    const { certified, refused } = await run('anthropic-openinference.cjs', { env: WITH_CONTENT });
    expect({ certified, refused }).toEqual({
      certified: [
        'fake-answer complete whole/whole',
        'fake-error failed whole/failed',
        'fake-stream complete whole/whole',
      ],
      // Both record that there was a picture, and not the picture.
      refused: ['the span holds no input: record content, or send with ?content=optional'],
    });
  });
});

describe('the AI SDK', () => {
  it.each([
    // Of an aborted stream version 6 ends the outer span only.
    ['ai-6.mjs', []],
    // Version 7 records no texts of embeddings, in two spans for one call.
    ['ai-7.mjs', ['the span holds no input and no output: record content, or send with ?content=optional']],
  ])('has calls of %s certified with their outcomes', async (app, reasons) => {
    const { certified, refused } = await run(app);
    expect({ certified, refused }).toEqual({
      certified: [
        'fake-abort aborted whole/aborted',
        'fake-answer complete whole/whole',
        ...(reasons.length === 0 ? ['fake-embed complete whole/whole'] : []),
        'fake-end failed whole/whole',
        'fake-error failed whole/failed',
        'fake-limit truncated whole/whole',
        'fake-stream complete whole/whole',
        'fake-tools complete whole/whole',
      ],
      refused: reasons,
    });
  });

  it('gives one certificate for one embedding', async () => {
    const { certified, refused } = await run('ai-7.mjs', { query: '?content=optional' });
    expect(refused).toEqual([]);
    expect(certified.filter((line) => line.startsWith('fake-embed'))).toEqual([
      'fake-embed complete not-recorded/not-recorded',
    ]);
  });

  it('gives it too when each span is exported alone', async () => {
    const env = { OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '1', OTEL_BSP_SCHEDULE_DELAY: '1' };
    const { certified } = await run('ai-7.mjs', { query: '?content=optional', env });
    expect(certified.filter((line) => line.startsWith('fake-embed'))).toHaveLength(1);
  });
});

describe('the OpenAI client', () => {
  it.each(['openai-6-openinference.mjs', 'openai-7-openinference.mjs'])(
    'has calls of %s certified with their outcomes',
    async (app) => {
      const { certified, refused } = await run(app);
      // The instrumentation ends no span for a refused call.
      expect({ certified, refused }).toEqual({
        certified: [
          'fake-abort aborted whole/whole',
          'fake-answer complete whole/whole',
          'fake-embed complete whole/whole',
          'fake-limit truncated whole/whole',
          'fake-stream complete whole/whole',
          'fake-tools complete whole/whole',
        ],
        refused: [],
      });
    },
  );

  it('has content that OpenInference hides certified as masked', async () => {
    const env = { OPENINFERENCE_HIDE_INPUTS: 'true', OPENINFERENCE_HIDE_OUTPUT_TEXT: 'true' };
    const { certified } = await run('openai-6-openinference.mjs', { env });
    expect(certified).toContain('fake-answer complete masked/masked');
    expect(certified).toContain('fake-tools complete masked/whole');
  });

  it('has calls under OpenLLMetry certified', async () => {
    const { certified, refused } = await run('openai-6-openllmetry.mjs');
    // The instrumentation knows no embeddings, ends no span for a refused call, and records an aborted one as stopped.
    expect({ certified, refused }).toEqual({
      certified: [
        'fake-abort complete whole/whole',
        'fake-answer complete whole/whole',
        'fake-limit truncated whole/whole',
        'fake-stream complete whole/whole',
        'fake-tools complete whole/whole',
      ],
      refused: [],
    });
  });

  it('has calls without content certified when that is optional', async () => {
    // OpenTelemetry's instrumentation records content as log events, never in spans.
    const { certified, refused } = await run('openai-6-opentelemetry.cjs', { query: '?content=optional' });
    expect({ certified, refused }).toEqual({
      certified: [
        'fake-abort aborted not-recorded/aborted',
        'fake-answer complete not-recorded/not-recorded',
        'fake-embed complete not-recorded/not-recorded',
        'fake-error failed not-recorded/failed',
        'fake-limit truncated not-recorded/not-recorded',
        'fake-stream complete not-recorded/not-recorded',
        'fake-tools complete not-recorded/not-recorded',
      ],
      refused: [],
    });
  });
});
