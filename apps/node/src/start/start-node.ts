import { CONTROL_PLANE_TIMES } from '@cer/control-plane';
import type { CacheTimes } from '@cer/http-service';
import { readTokenFile, type Environment } from '@cer/http-service/config';
import { createLogger, createMetrics, serve, type Logger, type RunningServer } from '@cer/http-service/process';
import { createApp } from './app.js';
import { createAuditLog } from '../audit-log/audit-log.js';
import { controlPlaneDirectory } from '../auth/control-plane-directory.js';
import { cachedKeyDirectory, ownKeyDirectory, type KeyDirectory } from '../auth/key-directory.js';
import { largeWorkOpener } from '../thread/open-large-work.js';
import { startCountingCertificates } from '../coverage/count-certificates.js';
import { createRefusalCounts } from '../coverage/refusals.js';
import { nodeLimits } from '../cores/node-limits.js';
import type { Team } from '../cores/team.js';
import { closeInOrder, type Closing } from './close-in-order.js';
import { loadNodeConfig, type NodeConfig } from './config.js';
import { describeRuntime } from '../status/runtime.js';
import { openKeyMaterial } from './key-material.js';
import { createQuota } from '../limits/quota.js';
import { startRecordCounts } from '../metrics/record-counts.js';
import { nodeMetrics } from '../metrics/node-metrics.js';
import { startDescribing } from '../records/describe-records.js';
import { createRendererClient, type RendererClient } from '../render/renderer-client.js';
import { startSweeper } from '../retention/sweeper.js';
import { openSigningKeys } from './open-signing-keys.js';
import { openMarkFile } from '../restore-mark/mark-file.js';
import { startMarking } from '../restore-mark/marking.js';
import { watchStore } from '../restore-mark/restored-store.js';
import { askWitness } from '../log/witness-client.js';
import { openStore, type Store } from '../store/index.js';
import { createSettingsMemory, type SettingsMemory } from '../tenants/settings-memory.js';
import { openLog } from './open-log.js';
import { openAlerts } from './open-alerts.js';
import { openTimestamps } from './open-timestamps.js';
import { openTracing } from '../tracing/open-tracing.js';
import { startUsageReports } from '../usage-reports/report-usage.js';

/** Maximum time for which a revoked key of the node's own table still works. */
const OWN_KEY_TIMES: CacheTimes = { foundMs: 1000, unknownMs: 1000 };

/**
 * Opens everything, then listens.
 * @param team the workers of this node; null: this process is alone
 */
export async function startNode(env: Environment, team: Team | null = null): Promise<RunningServer> {
  const config = loadNodeConfig(env);
  const logger = createLogger({ service: 'node', level: config.logLevel });
  const queueLimit = nodeLimits(team).partOf(config.storeQueueLimit);
  const { databaseUrl, writerThread } = config;
  const store = await openStore({ databaseUrl, queueLimit, siblings: team ?? undefined, writerThread });
  let parts: readonly Closing[] = [['store', () => store.close()]];
  try {
    const node = await openNode({ config, store, team, logger });
    const app = appOf(node);
    parts = startParts(node);
    const { host, port, headersTimeoutMs, requestTimeoutMs, drainTimeoutMs } = config;
    const times = { headersTimeoutMs, requestTimeoutMs, drainTimeoutMs };
    return await serve(app, { host, port, ...times, logger, onClose: () => closeInOrder(parts, logger) });
  } catch (error) {
    await closeInOrder(parts, logger);
    throw error;
  }
}

interface Opening {
  readonly config: NodeConfig;
  readonly store: Store;
  readonly team: Team | null;
  readonly logger: Logger;
}

type OpenedNode = Awaited<ReturnType<typeof openNode>>;

/** Opens the parts of a node, of which only those start to work that requests need. */
async function openNode({ config, store, team, logger }: Opening) {
  const now = (): Date => new Date();
  const metrics = createMetrics({ process: true });
  const { vault, secrets } = await openKeyMaterial(config, store, now());
  const runtime = describeRuntime(vault.nodeId);
  const keyDeps = { config, team, store: store.signingKeys, vault, nodeRuntimeHash: runtime.hash, now, logger };
  const signingKeys = await openSigningKeys(keyDeps);
  const { signing, history, holders } = signingKeys;
  const alerts = openAlerts({ config, store, secrets, signing, team, now, logger });
  const ask = alerts?.listening(askWitness) ?? askWitness;
  const log = await openLog({ config, store, holders, history, nodeId: vault.nodeId, ask, now, logger });
  const markFile = openMarkFile(config.restoreMarkFile);
  const restored = watchStore({ store, file: markFile, logger });
  await restored.check();
  const auditLog = createAuditLog({ audit: store.audit, signing, now });
  const timestamps = openTimestamps(config);
  const quota = createQuota({
    quotas: store.quotas,
    now,
    logger,
    ...(alerts !== null && { noteUse: alerts.noteUse }),
  });
  const refusals = createRefusalCounts({ store, now, logger });
  const tracing = await openTracing(config.tracesUrl, runtime.version, logger);
  const largeWork = largeWorkOpener({ ...config, secrets, hasLog: log !== null, tsaRootsPem: timestamps.rootsPem });
  const keys = keyDirectory(config, store, createSettingsMemory({ store, auditLog }));
  const isFirst = team === null || team.index === 0;
  const marking = startMarking({ store, file: markFile, watched: restored, isMarking: isFirst, now, logger });
  return {
    ...{ config, store, team, logger, now, metrics, secrets, runtime, signingKeys, alerts, log, restored, auditLog },
    ...{ timestamps, quota, refusals, tracing, largeWork, keys, marking },
  };
}

function appOf(node: OpenedNode): ReturnType<typeof createApp> {
  const { config, signingKeys, log, tracing, timestamps, largeWork } = node;
  const { store, team, logger, now, metrics, secrets, runtime, restored, auditLog } = node;
  const { quota, refusals, keys, marking } = node;
  return createApp({
    ...config,
    ...{ store, team, logger, now, metrics, secrets, runtime, restored, auditLog },
    ...{ quota, refusals, keys, marking },
    trace: tracing?.trace,
    timestamps: timestamps.verifier,
    log: log?.log ?? null,
    signing: signingKeys.signing,
    keyOperations: signingKeys.operations,
    keyHistory: signingKeys.history,
    render: {
      renderer: rendererClient(config),
      maxTotalFrames: config.maxTotalFrames,
      allowOpenRender: config.allowOpenRender,
    },
    openLargeWork: largeWork.open,
  });
}

/** Starts the work beside requests. @returns all parts, in the order in which they are closed */
function startParts(node: OpenedNode): readonly Closing[] {
  const { config, store, logger, now, auditLog, log, restored, keys } = node;
  const { upkeep, signing } = node.signingKeys;
  upkeep.start();
  const everyMs = config.retentionSweepEverySeconds * 1000;
  const sweeper = everyMs === 0 ? null : startSweeper({ store, auditLog, now, everyMs, logger });
  const usageReports = reportUsage(config, store, logger);
  const asksAuthorities = (config.tsa?.urls.length ?? 0) > 0;
  const metrics = nodeMetrics(node.metrics);
  const recordCounts = startRecordCounts({ store, signing, metrics, asksAuthorities, now, logger });
  const describing = startDescribing({ store, logger });
  const counting = startCountingCertificates({ store, logger });
  const timestamping = node.timestamps.start({ store, now, logger });
  const logWorker = log?.start(restored);
  const alerting = node.alerts?.start({ keys, restored, log: log?.log ?? null, asksAuthorities });
  return [
    ['large work', () => node.largeWork.close()],
    ['record facts', () => describing.stop()],
    ['timestamping', () => timestamping?.stop()],
    ['log', () => logWorker?.stop()],
    ['alerts', () => alerting?.stop()],
    ['retention', () => sweeper?.stop()],
    ['signing keys', () => upkeep.stop()],
    ['usage reports', () => usageReports?.stop()],
    ['record counts', () => recordCounts.stop()],
    ['quota', () => node.quota.close()],
    ['coverage', () => counting.stop()],
    ['refusals', () => node.refusals.close()],
    ['mark', () => node.marking.stop()],
    ['store', () => store.close()],
    ['tracing', () => node.tracing?.close()],
  ];
}

function keyDirectory(config: NodeConfig, store: Store, remember: SettingsMemory): KeyDirectory {
  const { controlPlaneUrl, controlPlaneTokenFile } = config;
  return controlPlaneUrl === undefined || controlPlaneTokenFile === undefined
    ? cachedKeyDirectory(ownKeyDirectory(store), OWN_KEY_TIMES)
    : cachedKeyDirectory(
        controlPlaneDirectory(
          controlPlaneUrl,
          readTokenFile('CONTROL_PLANE_TOKEN_FILE', controlPlaneTokenFile),
          remember,
        ),
        CONTROL_PLANE_TIMES,
      );
}

/** Without a control plane there are no usage reports. */
function reportUsage({ controlPlaneUrl, controlPlaneTokenFile }: NodeConfig, store: Store, logger: Logger) {
  if (controlPlaneUrl === undefined || controlPlaneTokenFile === undefined) return null;
  const token = readTokenFile('CONTROL_PLANE_TOKEN_FILE', controlPlaneTokenFile);
  return startUsageReports({ controlPlaneUrl, token, usage: store.usage, leases: store.leases, logger });
}

function rendererClient({ rendererUrl, rendererTokenFile }: NodeConfig): RendererClient | null {
  if (rendererUrl === undefined || rendererTokenFile === undefined) return null;
  return createRendererClient(rendererUrl, readTokenFile('RENDERER_TOKEN_FILE', rendererTokenFile));
}
