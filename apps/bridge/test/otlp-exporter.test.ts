import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isJsonObject, member, svcV1, type JsonObject } from '@cer/canonical-json';
import { hashValue } from '@cer/cer-core';
import { evaluateCer } from '@cer/cer-core/verify';
import { parseKeySet } from '@cer/keys';
import { startBridgeBesideNode, type BridgeBesideNode } from './bridge-beside-node.js';
import { startFakeModelServer, type FakeModelServer } from './fake-model-server.js';
import type { NodeProcess } from './service-process.js';
import type { StubControlPlane, StubTenant } from './stub-control-plane.js';
import type { TestBridge } from './test-bridge.js';

const SAMPLE_APP = join(__dirname, '..', '..', '..', 'examples', 'opentelemetry', 'app.mjs');
/** Prompt of the application, and answer of the model. */
const CONTENT = ['Lisbon', 'sea view', 'one sentence', 'CONTENT-'];

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

/** Runs the example unchanged: two variables configure the address and key of its exporter. */
async function runSampleApp(key: string, endpoint: Readonly<Record<string, string>>): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [SAMPLE_APP], {
    env: {
      PATH: process.env['PATH'] ?? '',
      MODEL_URL: models.url,
      MODEL_PROVIDER: 'fake',
      MODEL_NAME: 'fake-large',
      OTEL_SERVICE_NAME: 'sample-app',
      OTEL_EXPORTER_OTLP_HEADERS: `Authorization=Bearer%20${key}`,
      ...endpoint,
    },
  });
  return stdout + stderr;
}

async function publicCer(certificateHash: string): Promise<JsonObject> {
  const url = `${node.url}/v1/cer/public?certificate_hash=${encodeURIComponent(certificateHash)}`;
  const lookup: unknown = await (await fetch(url)).json();
  const cer = isJsonObject(lookup) ? member(lookup, 'cer') : undefined;
  if (!isJsonObject(cer)) throw new Error('no such record');
  const keySet = parseKeySet(await (await fetch(`${node.url}/.well-known/svc-node.json`)).json());
  const evaluation = await evaluateCer(cer, { keySet, verifiedAt: new Date().toISOString(), requireAttestation: true });
  expect(evaluation.status).toBe('VERIFIED');
  return cer;
}

async function certifiedOf(tenant: StubTenant): Promise<readonly string[]> {
  const ingests = await bridge.store.ingests.newest(tenant.tenantId, 50, 'certified');
  return ingests.flatMap(({ certificateHash }) => certificateHash ?? []);
}

function payloadOf(cer: JsonObject): JsonObject {
  const context = cer['context'];
  const signals = isJsonObject(context) ? member(context, 'signals') : undefined;
  const [signal] = Array.isArray(signals) ? (signals as unknown[]) : [];
  const payload = isJsonObject(signal) ? member(signal, 'payload') : undefined;
  return isJsonObject(payload) ? payload : {};
}

describe('an application instrumented with OpenTelemetry', () => {
  it('has its model calls certified without changes', async () => {
    const tenant = controlPlane.newTenant();
    const key = controlPlane.newKey(tenant);
    const output = await runSampleApp(key, { OTEL_EXPORTER_OTLP_ENDPOINT: bridge.url });
    expect(output).toBe('');
    const hashes = await certifiedOf(tenant);
    expect(hashes).toHaveLength(3);
    const snapshots = (await Promise.all(hashes.map(publicCer))).map((cer) => cer['snapshot']).filter(isJsonObject);
    for (const snapshot of snapshots) {
      expect(snapshot).toMatchObject({
        provider: 'fake.chat',
        model: 'fake-large',
        modelVersion: 'fake-large-2026-01-01',
        appId: 'sample-app',
        parameters: { temperature: 0.25, maxTokens: 64 },
        executionId: expect.stringMatching(/^otel:[0-9a-f]{32}:[0-9a-f]{16}$/),
      });
    }
    // A holder of the content can prove that it was certified.
    const outputHashes = snapshots.map((snapshot) => snapshot['outputHash']);
    const toolCalls = [{ toolCallId: 'call_1', toolName: 'weather', input: '{"place":"Lisbon"}' }];
    expect(new Set(outputHashes)).toEqual(
      new Set([hashValue({ text: 'CONTENT-ANSWER' }, svcV1, 'output'), hashValue({ toolCalls }, svcV1, 'output')]),
    );
    const payloads = (await Promise.all(hashes.map(publicCer))).map(payloadOf);
    expect(payloads.map((payload) => payload['toolCalls']).filter(Boolean)).toEqual([
      [{ id: 'call_1', name: 'weather' }],
    ]);
    expect(payloads[0]).toMatchObject({
      projection: 'otel.v2',
      dialect: 'ai-sdk',
      operation: 'chat',
      usage: { inputTokens: 11, outputTokens: 7 },
      workflow: { functionId: 'travel-desk' },
      service: { name: 'sample-app' },
      contentRecorded: { input: true, output: true },
    });
    for (const words of CONTENT) expect(JSON.stringify(payloads)).not.toContain(words);
  });

  it('has a whole trace sealed as a project', async () => {
    const tenant = controlPlane.newTenant();
    const endpoint = `${bridge.url}/v1/traces?project=trace&protocol=1.3.1`;
    await runSampleApp(controlPlane.newKey(tenant), { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint });
    const [sealed, ...steps] = await bridge.store.ingests.newest(tenant.tenantId, 50, 'certified');
    expect(steps).toHaveLength(3);
    expect(sealed?.executionId).toMatch(/^otel:[0-9a-f]{32}$/);
    const projectHash = sealed?.certificateHash ?? '';
    expect(sealed?.verificationUrl).toBe(`https://verify.example/p/${encodeURIComponent(projectHash)}`);
    const url = `${node.url}/v1/project-bundle/public?project_hash=${encodeURIComponent(projectHash)}`;
    const project: unknown = await (await fetch(url)).json();
    const bundle = isJsonObject(project) ? (member(project, 'bundle') ?? project) : {};
    const verified: unknown = await (
      await fetch(`${node.url}/v1/project-bundle/verify`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ bundle: isJsonObject(bundle) ? (bundle['project'] ?? bundle) : bundle }),
      })
    ).json();
    expect(verified).toMatchObject({ ok: true, totalSteps: 3 });
  });

  it('leaves neither content nor key in the bridge', async () => {
    const tenant = controlPlane.newTenant();
    const key = controlPlane.newKey(tenant);
    await runSampleApp(key, { OTEL_EXPORTER_OTLP_ENDPOINT: bridge.url });
    await bridge.usage.flush();
    const file = bridge.databaseUrl.replace('sqlite:', '');
    const stored = [file, `${file}-wal`].map((path) => readFileSync(path, 'latin1')).join('');
    expect(stored).toContain(tenant.tenantId);
    for (const text of [stored, bridge.log.join('\n'), node.output()]) {
      expect(text).not.toContain(key);
      for (const words of CONTENT) expect(text).not.toContain(words);
    }
  });
});
