import { createLogger, type Logger } from '../telemetry/logger.js';

export interface RecordedLog {
  readonly logger: Logger;
  /** The written lines. */
  readonly lines: string[];
}

/** A real logger whose lines a test can read. */
export function recordedLog(): RecordedLog {
  const lines: string[] = [];
  const stream = {
    write(line: string) {
      lines.push(line);
    },
  };
  return { logger: createLogger({ service: 'test', level: 'debug', stream }), lines };
}
