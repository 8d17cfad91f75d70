import { isForOperator } from '../errors/operator-error.js';
import { describeError } from '../telemetry/describe-error.js';
import { logWritten } from '../telemetry/log-destination.js';
import type { RunningServer } from './serve.js';

/** The parts of the process that `runService` uses. */
export interface ServiceProcess {
  on(event: 'SIGTERM' | 'SIGINT' | 'disconnect', listener: () => void): unknown;
  on(event: 'uncaughtException', listener: (error: unknown) => void): unknown;
  exit(code: number): void;
  readonly stderr: { write(text: string): unknown };
}

/** Maximum time of closing once the supervisor is gone, in ms: no other process would end one that hangs. */
const ORPHAN_CLOSE_MS = 15_000;

/**
 * Runs a service for the life of its process: starts it, and on SIGTERM or SIGINT closes it and exits 0. The same
 * signal again exits at once; the other one does not, since a terminal and a supervisor may both report one stop. A
 * service whose supervisor started it with an IPC channel also closes when that channel ends, however the supervisor
 * ended. An
 * error that prevents the start is written to stderr, with its message if that is for the operator, and the exit code
 * is 1.
 * @param start reads the configuration and calls `serve`; nothing before it listens
 */
export async function runService(start: () => Promise<RunningServer>, host: ServiceProcess = process): Promise<void> {
  let running: RunningServer | undefined;
  const received = new Set<string>();

  const stop = (signal: string) => (): void => {
    const isRepeated = received.has(signal);
    const isStopping = received.size > 0;
    received.add(signal);
    if (running === undefined) host.exit(0);
    else if (isRepeated) host.exit(1);
    else if (!isStopping) close(running);
  };
  const close = (server: RunningServer): void => {
    server
      .close()
      .then(logWritten)
      .then(
        () => {
          host.exit(0);
        },
        (error: unknown) => {
          fail(host, error);
        },
      );
  };
  host.on('SIGTERM', stop('SIGTERM'));
  host.on('SIGINT', stop('SIGINT'));
  const stopOrphaned = stop('disconnect');
  host.on('disconnect', () => {
    setTimeout(() => {
      host.exit(1);
    }, ORPHAN_CLOSE_MS).unref();
    stopOrphaned();
  });
  // Node's own report would print the error's message, which may hold values of a client.
  host.on('uncaughtException', (error) => {
    fail(host, error);
  });

  try {
    running = await start();
  } catch (error) {
    fail(host, error);
  }
}

function fail(host: ServiceProcess, error: unknown): void {
  host.stderr.write(`${isForOperator(error) ? error.message : JSON.stringify(describeError(error))}\n`);
  host.exit(1);
}
