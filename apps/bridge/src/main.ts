import { ConfigError, runService, SecretFileError } from '@cer/http-service';
import { startBridge } from './start-bridge.js';
import { StoreError } from './store/index.js';

/** Errors whose message was written for the operator. */
function isForOperator(error: unknown): error is Error {
  return [ConfigError, SecretFileError, StoreError].some((known) => error instanceof known);
}

await runService(() => startBridge(process.env), process, isForOperator);
