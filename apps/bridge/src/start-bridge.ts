import { fileURLToPath } from 'node:url';
import { readTokenFile, type Environment } from '@cer/http-service/config';
import { createLogger, createMetrics, repeat, serve, type RunningServer } from '@cer/http-service/process';
import { createApp } from './app.js';
import { connectToNode } from './attestation-node/connection.js';
import { publishedKeys } from './attestation-node/node-keys.js';
import { readConfig } from './config.js';
import { httpControlPlane } from './control-plane/control-plane.js';
import { UsageReports } from './control-plane/usage-reports.js';
import { presentError } from './errors.js';
import { publishedHandoffKeys } from './handoff/handoff-keys.js';
import { openStore } from './store/index.js';

const USAGE_INTERVAL_MS = 30_000;
/** Maximum time in which a stream of executions arrives, in ms. */
const STREAM_TIMEOUT_MS = 15 * 60_000;
const SWEEP_INTERVAL_MS = 10 * 60_000;

/**
 * Starts the evidence bridge. It starts without node and control plane, and refuses until they are there.
 * @throws ConfigError, SecretFileError, StoreError, ListenError
 */
export async function startBridge(env: Environment): Promise<RunningServer> {
  const config = readConfig(env);
  const logger = createLogger({ service: 'bridge', level: config.logLevel });
  const controlPlane = httpControlPlane(
    config.controlPlaneUrl,
    readTokenFile('CONTROL_PLANE_TOKEN_FILE', config.controlPlaneTokenFile),
  );
  const store = await openStore({ databaseUrl: config.databaseUrl });
  const node = connectToNode(config.nodeUrl);
  const usage = new UsageReports(controlPlane, logger, 'ingest');
  // Apart: a control plane of an older release, which does not know the kind, still takes the other reports.
  const refusals = new UsageReports(controlPlane, logger, 'refused');
  const stopping = new AbortController();
  const sweeping = repeat({
    everyMs: SWEEP_INTERVAL_MS,
    task: () => store.sweep(),
    onFailure: (error) => {
      logger.warn({ err: error }, 'sweep failed');
    },
  });
  const close = async (): Promise<void> => {
    await sweeping.stop();
    await Promise.all([usage.stop(), refusals.stop()]);
    node.close();
    await store.close();
  };
  try {
    const app = createApp({
      ...config,
      store,
      controlPlane,
      usage,
      refusals,
      node,
      handoffKeys: publishedHandoffKeys(config.controlPlaneUrl),
      nodeKeys: publishedKeys(node),
      assetFolder: fileURLToPath(new URL('../assets', import.meta.url)),
      stopping: stopping.signal,
      logger,
      metrics: createMetrics({ process: true }),
      now: () => new Date(),
    });
    usage.start(USAGE_INTERVAL_MS);
    refusals.start(USAGE_INTERVAL_MS);
    const { host, port } = config;
    const times = { requestTimeoutMs: STREAM_TIMEOUT_MS };
    const server = await serve(app, { host, port, ...times, logger, presentError, onClose: close });
    return {
      url: server.url,
      close: () => {
        stopping.abort();
        return server.close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}
