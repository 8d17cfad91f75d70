import { runProgram } from '@cer/http-service/process';
import { VARIABLES } from './config.js';
import { startBridge } from './start-bridge.js';

await runProgram({
  call: 'node apps/bridge/dist/main.js',
  purpose: 'serve the evidence bridge',
  variables: VARIABLES,
  start: () => startBridge(process.env),
});
