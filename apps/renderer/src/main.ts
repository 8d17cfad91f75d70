import { createLogger, refuseTakenAddress, runProgram, serve, type RunningServer } from '@cer/http-service/process';
import { createApp } from './app.js';
import { readConfig, VARIABLES } from './config.js';
import { startEngine } from './engine.js';
import { keepStarting } from './keep-starting.js';

await runProgram({
  call: 'node apps/renderer/dist/main.js',
  purpose: 'serve the renderer',
  variables: VARIABLES,
  start: startRenderer,
});

async function startRenderer(): Promise<RunningServer> {
  const config = readConfig(process.env);
  const logger = createLogger({ service: 'renderer', level: config.logLevel });
  // Not once the browser runs: it takes long to start, and would end with this process, uncleanly.
  await refuseTakenAddress(config);
  // Without a browser the service still answers, and reports the reason.
  const engine = await keepStarting(() => startEngine(config, logger), { logger });
  const app = createApp({ config, logger, engine: engine.current });
  return serve(app, {
    host: config.host,
    port: config.port,
    logger,
    onClose: engine.close,
  });
}
