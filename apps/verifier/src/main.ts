import { runService } from '@cer/http-service';
import { WebBuildMissing } from './pages/web-build.js';
import { startVerifier } from './start-verifier.js';

// The only file that knows the process.
await runService(
  () => startVerifier(process.env, import.meta.dirname),
  process,
  (error): error is Error => error instanceof WebBuildMissing,
);
