import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isJsonObject, member } from '@cer/canonical-json';
import { evaluateCer } from '@cer/cer-core/verify';
import { parseKeySet } from '@cer/keys';
import { startBridgeBesideNode, type BridgeBesideNode } from './bridge-beside-node.js';
import { freePort } from '@cer/test-browser';
import { startFakeModelServer, type FakeModelServer } from './fake-model-server.js';
import type { NodeProcess } from './service-process.js';
import type { StubControlPlane, StubTenant } from './stub-control-plane.js';
import type { TestBridge } from './test-bridge.js';

// The recipe of docs/clients.md for OpenTelemetry: Python's SDK and exporter, and the Collector, before bridge and node.

const ROOT = join(__dirname, '..', '..', '..');
const PYTHON_PROGRAM = join(ROOT, 'examples/clients/python-opentelemetry.py');
const SAMPLE_APP = join(ROOT, 'examples/opentelemetry/app.mjs');
const CLIENTS = readFileSync(join(ROOT, 'docs/clients.md'), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'cer-exporters-'));

let services: BridgeBesideNode;
let controlPlane: StubControlPlane;
let node: NodeProcess;
let bridge: TestBridge;
let models: FakeModelServer;
const started: ChildProcess[] = [];

beforeAll(async () => {
  [services, models] = await Promise.all([startBridgeBesideNode(), startFakeModelServer()]);
  ({ controlPlane, node, bridge } = services);
});
afterAll(async () => {
  for (const child of started) child.kill('SIGKILL');
  await Promise.all([services.close(), models.close()]);
  rmSync(folder, { recursive: true, force: true });
});

/** What a script of the repository found, or undefined after a line that says why it found nothing. */
function found(what: string, script: string, ...args: readonly string[]): string | undefined {
  const said = execFileSync(process.execPath, [join(ROOT, 'scripts', script), ...args], { encoding: 'utf8' });
  const [, path, reason] = /^\w+: (?:(\/.*)|none \((.*)\))$/m.exec(said) ?? [];
  if (path === undefined) process.stderr.write(`docs/clients.md: ${what} was not run: ${reason ?? said}\n`);
  return path;
}

interface Verified {
  readonly status: unknown;
  readonly cer: unknown;
}

/** The records of a tenant once there are as many, each verified offline. */
async function verified(tenant: StubTenant, count: number): Promise<readonly Verified[]> {
  const certified = () => bridge.store.ingests.newest(tenant.tenantId, 50, 'certified');
  while ((await certified()).length < count) await new Promise((resolve) => setTimeout(resolve, 100));
  const json = async (path: string): Promise<unknown> => (await fetch(`${node.url}${path}`)).json();
  const keySet = parseKeySet(await json('/.well-known/svc-node.json'));
  const hashes = (await certified()).map(({ certificateHash }) => encodeURIComponent(certificateHash ?? ''));
  return Promise.all(
    hashes.map(async (hash) => {
      const record = await json(`/v1/cer/public?certificate_hash=${hash}`);
      const cer = isJsonObject(record) ? member(record, 'cer') : undefined;
      const pins = { keySet, verifiedAt: new Date().toISOString(), requireAttestation: true };
      return { status: (await evaluateCer(cer, pins)).status, cer };
    }),
  );
}

describe("Python's OpenTelemetry", () => {
  it('has the call of the program in docs/clients.md certified', async () => {
    const python = found('python-opentelemetry.py', 'python.mjs', 'opentelemetry.txt');
    if (python === undefined) return;
    const tenant = controlPlane.newTenant();
    const { stdout, stderr } = await promisify(execFile)(python, [PYTHON_PROGRAM], {
      env: {
        PATH: process.env['PATH'] ?? '',
        OPENAI_BASE_URL: models.url,
        OPENAI_API_KEY: 'none',
        OTEL_SERVICE_NAME: 'python-desk',
        OTEL_EXPORTER_OTLP_ENDPOINT: bridge.url,
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
        OTEL_EXPORTER_OTLP_HEADERS: `Authorization=Bearer%20${controlPlane.newKey(tenant)}`,
      },
    });
    expect({ stdout, stderr }).toEqual({ stdout: 'CONTENT-ANSWER\n', stderr: '' });
    const records = await verified(tenant, 1);
    const payload = { projection: 'otel.v2', outcome: 'complete', contentRecorded: { input: true, output: true } };
    expect(records).toEqual([
      {
        status: 'VERIFIED',
        cer: expect.objectContaining({
          snapshot: expect.objectContaining({ provider: 'openai', model: 'gpt-4.1', appId: 'python-desk' }),
          context: { signals: [expect.objectContaining({ payload: expect.objectContaining(payload) })] },
        }),
      },
    ]);
    expect(JSON.stringify(records)).not.toContain('CONTENT-');
  });
});

describe('the OpenTelemetry Collector', () => {
  it('keeps unsent spans on disk although it is killed', async () => {
    const isLong = process.env['CER_TESTS'] === 'long';
    const collector = found('the Collector', 'collector.mjs', ...(isLong ? ['--build'] : []));
    if (collector === undefined) return;
    const [, recipe = ''] = /^```yaml\n(extensions:\n.*?)^```$/ms.exec(CLIENTS) ?? [];
    const config = join(folder, 'collector.yaml');
    writeFileSync(config, recipe);
    const tenant = controlPlane.newTenant();
    const key = controlPlane.newKey(tenant);
    const port = await freePort();

    const away = await startCollector(collector, config, port, {
      key,
      bridgeUrl: `http://127.0.0.1:${await freePort()}`,
    });
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [SAMPLE_APP], {
      env: {
        PATH: process.env['PATH'] ?? '',
        MODEL_URL: models.url,
        MODEL_NAME: 'fake-large',
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      },
    });
    expect(stdout + stderr).toBe('');
    away.kill('SIGKILL');
    await once(away, 'exit');
    expect(await bridge.store.ingests.newest(tenant.tenantId, 50)).toEqual([]);

    await startCollector(collector, config, port, { key, bridgeUrl: bridge.url });
    const statuses = (await verified(tenant, 3)).map(({ status }) => status);
    expect(statuses).toEqual(['VERIFIED', 'VERIFIED', 'VERIFIED']);
  });

  /** Runs the recipe, whose addresses and folder are set from outside. */
  async function startCollector(
    program: string,
    config: string,
    port: number,
    { key, bridgeUrl }: { readonly key: string; readonly bridgeUrl: string },
  ): Promise<ChildProcess> {
    const set = {
      'extensions.file_storage.directory': folder,
      'receivers.otlp.protocols.http.endpoint': `127.0.0.1:${port}`,
      'exporters.otlphttp/evidence.endpoint': bridgeUrl,
      'service.telemetry.metrics.level': 'none',
    };
    const args = Object.entries(set).map(([name, value]) => `--set=${name}=${value}`);
    const child = spawn(program, [`--config=${config}`, ...args], {
      env: { PATH: process.env['PATH'] ?? '', CER_API_KEY: key },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    started.push(child);
    let output = '';
    await new Promise<void>((resolve, reject) => {
      child.stderr.on('data', (chunk: Buffer) => {
        output += chunk.toString('utf8');
        if (output.includes('Everything is ready')) resolve();
      });
      child.once('exit', () => {
        reject(new Error(`the Collector ended: ${output}`));
      });
    });
    return child;
  }
});
