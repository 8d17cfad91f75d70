import cluster from 'node:cluster';
import type { Environment } from '@cer/http-service/config';
import { createLogger, type RunningServer } from '@cer/http-service/process';
import { joinTeam } from '../cores/team.js';
import { startWorkers, type WorkersEndedError } from '../cores/workers.js';
import { loadNodeConfig } from './config.js';
import { startNode } from './start-node.js';

/**
 * Runs the node in this process or, with `NODE_WORKERS` above 1, in as many workers.
 * @param onLost called when every worker has ended
 */
export async function startOnCores(
  env: Environment,
  onLost: (error: WorkersEndedError) => void,
): Promise<RunningServer> {
  if (cluster.isWorker) {
    const team = await joinTeam();
    const running = await startNode(env, team);
    team.noteListening(running.url);
    return running;
  }
  const { workers, logLevel } = loadNodeConfig(env);
  if (workers === 1) return startNode(env);
  return startWorkers({ size: workers, logger: createLogger({ service: 'node', level: logLevel }), onLost });
}
