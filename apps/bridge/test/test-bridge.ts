import { mkdtempSync, rmSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Secret } from '@cer/http-service/config';
import { createMetrics, serve } from '@cer/http-service/process';
import { recordedLog } from '@cer/http-service/testing';
import { createApp, type BridgeDeps } from '../src/app.js';
import { connectToNode } from '../src/attestation-node/connection.js';
import { publishedKeys } from '../src/attestation-node/node-keys.js';
import { httpControlPlane } from '../src/control-plane/control-plane.js';
import { UsageReports } from '../src/control-plane/usage-reports.js';
import { publishedHandoffKeys } from '../src/handoff/handoff-keys.js';
import { openStore, type Store } from '../src/store/index.js';
import { SERVICE_TOKEN } from './stub-control-plane.js';

const MIB = 1024 * 1024;

export const TEST_LIMITS = {
  bodyLimitBytes: 16 * MIB,
  streamLimitBytes: 64 * MIB,
  otlpLimitBytes: MIB,
  otlpUnpackedLimitBytes: 4 * MIB,
  otlpSpanLimit: 2000,
  bytesAtOnce: 64 * MIB,
  stallMs: 10_000,
};

/** A bridge under test: the whole app on a real database, behind a real port. */
export interface TestBridge {
  readonly url: string;
  readonly databaseUrl: string;
  readonly store: Store;
  readonly usage: UsageReports;
  readonly refusals: UsageReports;
  readonly log: readonly string[];
  readonly deps: BridgeDeps;
  readonly close: () => Promise<void>;
}

export interface TestBridgeOptions {
  readonly nodeUrl: string;
  readonly controlPlaneUrl: string;
  /** Where browsers reach the control plane; `controlPlaneUrl` by default. */
  readonly dashboardUrl?: string;
  /** Shared with another bridge; a new SQLite file by default. */
  readonly databaseUrl?: string;
  readonly now?: () => Date;
  readonly replace?: (deps: BridgeDeps) => Partial<BridgeDeps>;
}

/** Sends a handoff token, as the page of the bridge does. */
export function sendHandoff(url: string, token: string, origin = url): Promise<Response> {
  const headers = { origin, 'content-type': 'application/json' };
  return fetch(`${url}/api/v1/auth/handoff`, { method: 'POST', headers, body: JSON.stringify({ token }) });
}

export async function startTestBridge(options: TestBridgeOptions): Promise<TestBridge> {
  const folder = mkdtempSync(join(tmpdir(), 'cer-bridge-'));
  const databaseUrl = options.databaseUrl ?? `sqlite:${join(folder, 'bridge.sqlite')}`;
  const now = options.now ?? (() => new Date());
  const store = await openStore({ databaseUrl, now });
  const { logger, lines } = recordedLog();
  logger.level = 'trace';
  const controlPlane = httpControlPlane(options.controlPlaneUrl, new Secret(SERVICE_TOKEN));
  const node = connectToNode(options.nodeUrl);
  const stopping = new AbortController();
  const usage = new UsageReports(controlPlane, logger, 'ingest');
  const refusals = new UsageReports(controlPlane, logger, 'refused');
  // The port is known only when it listens, and the app must know its own origin.
  let app: RequestListener = () => undefined;
  const server = await serve(
    (request, response) => {
      app(request, response);
    },
    {
      host: '127.0.0.1',
      port: 0,
      logger,
    },
  );
  const usual: BridgeDeps = {
    store,
    controlPlane,
    usage,
    refusals,
    node,
    nodeKeys: publishedKeys(node),
    handoffKeys: publishedHandoffKeys(options.controlPlaneUrl),
    publicUrl: server.url,
    dashboardUrl: options.dashboardUrl ?? options.controlPlaneUrl,
    verifyUrl: undefined,
    sessionTimes: { idleMs: 3_600_000, absoluteMs: 12 * 3_600_000 },
    limits: TEST_LIMITS,
    assetFolder: join(__dirname, '..', 'assets'),
    stopping: stopping.signal,
    trustedProxies: undefined,
    logger,
    metrics: createMetrics(),
    now,
  };
  const deps = { ...usual, ...options.replace?.(usual) };
  app = createApp(deps);
  return {
    url: server.url,
    databaseUrl,
    store,
    usage,
    refusals,
    log: lines,
    deps,
    close: async () => {
      stopping.abort();
      await server.close();
      node.close();
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
