import { readFileSync } from 'node:fs';
import { createLogger, createMetrics, serve, type RunningServer } from '@cer/http-service/process';
import { createApp } from './app.js';
import { advanceQuota } from './checkpoints/advance-quota.js';
import type { WitnessConfig } from './config.js';
import { LogListError, logOfVkey, logsByOrigin, readLogList, type KnownLog } from './logs/known-logs.js';
import { openWitness } from './store/open-store.js';

/**
 * Starts the witness.
 * @throws LogListError, WitnessError, KeyError, StoreError, ListenError
 */
export async function startWitness(config: WitnessConfig): Promise<RunningServer> {
  const logs = configuredLogs(config);
  const { store, key, signer } = await openWitness(config.databaseFile);
  try {
    for (const origin of logs.keys()) await store.know(origin);
    const logger = createLogger({ service: 'witness', level: config.logLevel });
    const now = (): Date => new Date();
    const { trustedProxies, host, port } = config;
    const metrics = createMetrics({ process: true });
    const quota = advanceQuota(now);
    const app = createApp({ store, logs, key, signer, quota, now, logger, metrics, trustedProxies });
    return await serve(app, { host, port, logger, onClose: () => store.close() });
  } catch (error) {
    await store.close();
    throw error;
  }
}

function configuredLogs({ logVkeys, logsFile }: WitnessConfig): ReadonlyMap<string, KnownLog> {
  const named = logVkeys.map((vkey, at) => logOfVkey(vkey, `log ${String(at + 1)}`));
  const logs = logsByOrigin([...named, ...(logsFile === undefined ? [] : readLogList(textOf(logsFile)))]);
  if (logs.size === 0) {
    throw new LogListError('The witness needs a log: --log VKEY, --logs FILE, or LOG_VKEYS and LOGS_FILE');
  }
  return logs;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new LogListError('list of logs: cannot be read. Correct the path or its permissions');
  }
}
