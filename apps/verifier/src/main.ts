import { join } from 'node:path';
import { runService } from '@cer/http-service/process';
import { startVerifier } from './start-verifier.js';

// The only file that knows the process.
await runService(() => startVerifier(process.env, join(import.meta.dirname, '../dist')));
