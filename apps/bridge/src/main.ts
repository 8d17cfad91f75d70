import { ConfigError, runService, SecretFileError } from '@cer/http-service';
import { StoreError } from '@cer/sql-store';
import { startBridge } from './start-bridge.js';

/** Errors whose message was written for the operator. */
function isForOperator(error: unknown): error is Error {
  return [ConfigError, SecretFileError, StoreError].some((known) => error instanceof known);
}

await runService(() => startBridge(process.env), process, isForOperator);
