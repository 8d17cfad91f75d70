import { join } from 'node:path';
import { runProgram } from '@cer/http-service/process';
import { VARIABLES } from './config.js';
import { startVerifier } from './start-verifier.js';

// The only file that knows the process.
await runProgram({
  call: 'node apps/verifier/dist/main.js',
  purpose: 'serve the public verifier',
  variables: VARIABLES,
  start: () => startVerifier(process.env, join(import.meta.dirname, '../dist')),
});
