import { OperatorError } from '@cer/http-service/process';

/** The node cannot start with this configuration; the message names the remedy. */
export class StartupError extends OperatorError {
  override readonly name = 'StartupError';
}
