import { createLogger, runProgram, serve, type RunningServer } from '@cer/http-service/process';
import { createApp } from './app.js';
import { readConfig, VARIABLES } from './config.js';
import { startEngine, type Engine } from './engine.js';

await runProgram({
  call: 'node apps/renderer/dist/main.js',
  purpose: 'serve the renderer',
  variables: VARIABLES,
  start: startRenderer,
});

async function startRenderer(): Promise<RunningServer> {
  const config = readConfig(process.env);
  const logger = createLogger({ service: 'renderer', level: config.logLevel });
  // Without a browser the service still answers, and reports the reason.
  const engine: Engine | string = await startEngine(config, logger).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : 'the renderer cannot be started';
    logger.error({ reason }, 'renders are refused');
    return reason;
  });
  const app = createApp({ config, logger, engine: () => engine });
  return serve(app, {
    host: config.host,
    port: config.port,
    logger,
    async onClose() {
      if (typeof engine !== 'string') await engine.close();
    },
  });
}
