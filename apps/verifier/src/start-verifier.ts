import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, type Environment } from '@cer/http-service/config';
import { createLogger, createMetrics, serve, type RunningServer } from '@cer/http-service/process';
import { parseLogPolicy, TlogError } from '@cer/tlog';
import { createApp, type SiteLogPolicy } from './app.js';
import { loadVerifierConfig } from './config.js';
import { loadWebBuild } from './pages/web-build.js';
import { createLargeCheck } from './record/large-check.js';
import { connectToNode } from './record/node-client.js';

/** Loads configuration and browser files, then listens. @param folder of this app's compiled code */
export async function startVerifier(env: Environment, folder: string): Promise<RunningServer> {
  const config = loadVerifierConfig(env);
  const build = loadWebBuild(join(folder, 'web'));
  const logger = createLogger({ service: 'verifier', level: config.logLevel });
  const now = (): Date => new Date();
  const node = connectToNode({ nodeUrl: config.nodeUrl, timeoutMs: config.nodeTimeoutMs, now });
  const checkLarge = createLargeCheck(join(folder, 'record', 'check-program.js'));
  const logPolicy = readLogPolicy(config.logPolicyFile);
  const metrics = createMetrics({ process: true });
  const app = createApp({ ...config, logPolicy, node, checkLarge, build, logger, metrics, now });
  return serve(app, { host: config.host, port: config.port, logger });
}

/** @throws ConfigError for a file that cannot be read or is not a policy */
function readLogPolicy(path: string | undefined): SiteLogPolicy | null {
  if (path === undefined) return null;
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    throw new ConfigError(['LOG_POLICY_FILE: cannot be read']);
  }
  try {
    return { text, policy: parseLogPolicy(text) };
  } catch (error) {
    if (error instanceof TlogError) throw new ConfigError([`LOG_POLICY_FILE: ${error.message}`]);
    throw error;
  }
}
