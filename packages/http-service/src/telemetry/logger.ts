import { pino, type DestinationStream, type LogFn, type Logger } from 'pino';
import { describeError } from './describe-error.js';
import { logDestination } from './log-destination.js';
import { redacted } from './redaction.js';

export type { Logger } from 'pino';

const STDOUT = 1;

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface LoggerOptions {
  /** The service that writes, e.g. `node`. */
  readonly service: string;
  readonly level: LogLevel;
  /** Destination of the lines; stdout by default. */
  readonly stream?: DestinationStream;
}

/** JSON lines with ISO times; known secret members are replaced at any depth. */
export function createLogger({ service, level, stream }: LoggerOptions): Logger {
  const options = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }), log: redacted },
    serializers: { err: (error: unknown) => describeError(error) },
    hooks: { logMethod: withoutBorrowedMessage },
  };
  return pino(options, stream ?? logDestination(STDOUT));
}

/** pino makes an error's message the line's message when the caller gives none; a library's message may hold values. */
function withoutBorrowedMessage(this: Logger, args: Parameters<LogFn>, method: LogFn): void {
  const [only, ...rest] = args;
  if (rest.length === 0 && holdsError(only)) method.call(this, only, 'error');
  else method.apply(this, args);
}

function holdsError(logged: unknown): logged is object {
  return logged instanceof Error || (typeof logged === 'object' && logged !== null && 'err' in logged);
}

/** Writes nothing. */
export function silentLogger(): Logger {
  return pino({ level: 'silent' });
}
