import { ConfigError } from './config-error.js';
import { describeError } from './describe-error.js';
import { SecretFileError } from './secret.js';
import { ListenError, type RunningServer } from './serve.js';

/** What `runService` needs of the process. */
export interface ServiceProcess {
  on(event: 'SIGTERM' | 'SIGINT', listener: () => void): unknown;
  on(event: 'uncaughtException', listener: (error: unknown) => void): unknown;
  exit(code: number): void;
  readonly stderr: { write(text: string): unknown };
}

/**
 * Runs a service for the life of its process: starts it, and on SIGTERM or SIGINT closes it and exits 0. A second
 * signal exits at once. What keeps it from starting is said on stderr, and the exit code is 1.
 * @param start reads the configuration and calls `serve`; nothing before it listens
 * @param isForOperator further errors whose message was written for the operator and holds no stranger's value
 */
export async function runService(
  start: () => Promise<RunningServer>,
  host: ServiceProcess = process,
  isForOperator: (error: unknown) => error is Error = isForPeople,
): Promise<void> {
  let running: RunningServer | undefined;
  let stopping = false;

  const stop = (): void => {
    if (stopping || running === undefined) {
      host.exit(stopping ? 1 : 0);
      return;
    }
    stopping = true;
    running.close().then(
      () => {
        host.exit(0);
      },
      (error: unknown) => {
        fail(host, error, isForOperator);
      },
    );
  };
  host.on('SIGTERM', stop);
  host.on('SIGINT', stop);
  // Node's own report would print the error's message, which may hold a stranger's values.
  host.on('uncaughtException', (error) => {
    fail(host, error, isForOperator);
  });

  try {
    running = await start();
  } catch (error) {
    fail(host, error, isForOperator);
  }
}

function fail(host: ServiceProcess, error: unknown, isForOperator: (error: unknown) => error is Error): void {
  host.stderr.write(
    `${isForPeople(error) || isForOperator(error) ? error.message : JSON.stringify(describeError(error))}\n`,
  );
  host.exit(1);
}

function isForPeople(error: unknown): error is Error {
  return error instanceof ConfigError || error instanceof ListenError || error instanceof SecretFileError;
}
