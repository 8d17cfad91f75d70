import type { CacheTimes } from '@cer/http-service';
import { readSecretFile, type Environment } from '@cer/http-service/config';
import { createLogger, createMetrics, serve, type Logger, type RunningServer } from '@cer/http-service/process';
import { createApp } from './app.js';
import { createAuditLog } from '../audit-log/audit-log.js';
import { CONTROL_PLANE_TIMES, controlPlaneDirectory } from '../auth/control-plane-directory.js';
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
  const metrics = createMetrics({ process: true });
  const queueLimit = nodeLimits(team).partOf(config.storeQueueLimit);
  const { databaseUrl, writerThread } = config;
  const store = await openStore({ databaseUrl, queueLimit, siblings: team ?? undefined, writerThread });
  const isFirst = team === null || team.index === 0;
  try {
    const now = (): Date => new Date();
    const { vault, secrets } = await openKeyMaterial(config, store, now());
    const runtime = describeRuntime(vault.nodeId);
    const keyDeps = { config, team, store: store.signingKeys, vault, nodeRuntimeHash: runtime.hash, now, logger };
    const { signing, operations, history, upkeep, holders } = await openSigningKeys(keyDeps);
    const nodeId = vault.nodeId;
    const alerts = openAlerts({ config, store, secrets, signing, now, logger });
    const ask = alerts?.listening(askWitness) ?? askWitness;
    const logSetup = await openLog({ config, store, holders, history, nodeId, ask, now, logger });
    const markFile = openMarkFile(config.restoreMarkFile);
    const watched = watchStore({ store, file: markFile, logger });
    await watched.check();
    const auditLog = createAuditLog({ audit: store.audit, signing, now });
    const timestamps = openTimestamps(config);
    const quota = createQuota({
      quotas: store.quotas,
      now,
      logger,
      ...(alerts !== null && { noteUse: alerts.noteUse }),
    });
    const refusals = createRefusalCounts({ coverage: store.coverage, now, logger });
    const tracing = await openTracing(config.tracesUrl, runtime.version, logger);
    const largeWork = largeWorkOpener({
      ...config,
      secrets,
      hasLog: logSetup !== null,
      tsaRootsPem: timestamps.rootsPem,
    });
    const keys = keyDirectory(config, store, createSettingsMemory({ store, auditLog }));
    const marking = startMarking({ store, file: markFile, watched, isMarking: isFirst, now, logger });
    const app = createApp({
      ...config,
      trace: tracing?.trace,
      store,
      timestamps: timestamps.verifier,
      log: logSetup?.log ?? null,
      keys,
      signing,
      keyOperations: operations,
      keyHistory: history,
      secrets,
      quota,
      refusals,
      auditLog,
      render: {
        renderer: rendererClient(config),
        maxTotalFrames: config.maxTotalFrames,
        allowOpenRender: config.allowOpenRender,
      },
      runtime,
      logger,
      metrics,
      now,
      restored: watched,
      marking,
      team,
      openLargeWork: largeWork.open,
    });
    upkeep.start();
    const everyMs = config.retentionSweepEverySeconds * 1000;
    const sweeper = everyMs === 0 ? null : startSweeper({ store, auditLog, now, everyMs, logger });
    const usageReports = reportUsage(config, store, logger);
    const asksAuthorities = (config.tsa?.urls.length ?? 0) > 0;
    const recordCounts = startRecordCounts({
      store,
      signing,
      metrics: nodeMetrics(metrics),
      asksAuthorities,
      now,
      logger,
    });
    const describing = startDescribing({ store, logger });
    const counting = startCountingCertificates({ store, logger });
    const timestamping = timestamps.start({ store, now, logger });
    const logWorker = logSetup?.start();
    const alerting = alerts?.start({ keys, restored: watched, log: logSetup?.log ?? null, asksAuthorities });
    const parts: readonly Closing[] = [
      ['large work', () => largeWork.close()],
      ['record facts', () => describing.stop()],
      ['timestamping', () => timestamping?.stop()],
      ['log', () => logWorker?.stop()],
      ['alerts', () => alerting?.stop()],
      ['retention', () => sweeper?.stop()],
      ['signing keys', () => upkeep.stop()],
      ['usage reports', () => usageReports?.stop()],
      ['record counts', () => recordCounts.stop()],
      ['quota', () => quota.close()],
      ['coverage', () => counting.stop()],
      ['refusals', () => refusals.close()],
      ['mark', () => marking.stop()],
      ['store', () => store.close()],
      ['tracing', () => tracing?.close()],
    ];
    const { host, port, headersTimeoutMs, requestTimeoutMs, drainTimeoutMs } = config;
    const times = { headersTimeoutMs, requestTimeoutMs, drainTimeoutMs };
    return await serve(app, { host, port, ...times, logger, onClose: () => closeInOrder(parts, logger) });
  } catch (error) {
    await store.close();
    throw error;
  }
}

function keyDirectory(config: NodeConfig, store: Store, remember: SettingsMemory): KeyDirectory {
  const { controlPlaneUrl, controlPlaneTokenFile } = config;
  return controlPlaneUrl === undefined || controlPlaneTokenFile === undefined
    ? cachedKeyDirectory(ownKeyDirectory(store), OWN_KEY_TIMES)
    : cachedKeyDirectory(
        controlPlaneDirectory(controlPlaneUrl, readSecretFile(controlPlaneTokenFile), remember),
        CONTROL_PLANE_TIMES,
      );
}

/** Without a control plane there are no usage reports. */
function reportUsage({ controlPlaneUrl, controlPlaneTokenFile }: NodeConfig, store: Store, logger: Logger) {
  if (controlPlaneUrl === undefined || controlPlaneTokenFile === undefined) return null;
  const token = readSecretFile(controlPlaneTokenFile);
  return startUsageReports({ controlPlaneUrl, token, usage: store.usage, leases: store.leases, logger });
}

function rendererClient({ rendererUrl, rendererTokenFile }: NodeConfig): RendererClient | null {
  if (rendererUrl === undefined || rendererTokenFile === undefined) return null;
  return createRendererClient(rendererUrl, readSecretFile(rendererTokenFile));
}
