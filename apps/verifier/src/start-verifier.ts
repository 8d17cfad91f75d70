import { join } from 'node:path';
import { createLogger, serve, type Environment, type RunningServer } from '@cer/http-service';
import { createApp } from './app.js';
import { loadVerifierConfig } from './config.js';
import { loadWebBuild } from './pages/web-build.js';
import { createNodeClient } from './record/node-client.js';

/** Loads configuration and browser files, then listens. @param folder where this app's compiled code lies */
export async function startVerifier(env: Environment, folder: string): Promise<RunningServer> {
  const config = loadVerifierConfig(env);
  const build = loadWebBuild(join(folder, 'web'));
  const logger = createLogger({ service: 'verifier', level: config.logLevel });
  const now = (): Date => new Date();
  const node = createNodeClient({ nodeUrl: config.nodeUrl, timeoutMs: config.nodeTimeoutMs, now });
  const app = createApp({ ...config, node, build, logger, now });
  return serve(app, { host: config.host, port: config.port, logger });
}
