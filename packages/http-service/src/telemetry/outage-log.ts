import type { Logger } from './logger.js';

export interface OutageLog {
  /** Logs the error, unless the attempt before failed for the same reason. */
  readonly failed: (error: unknown) => void;
  /** Logs the success, when the attempt before failed. */
  readonly succeeded: () => void;
}

export interface OutageTexts {
  readonly level: 'warn' | 'error';
  readonly failed: string;
  readonly succeeded: string;
  /** The background worker, where several use the same texts. */
  readonly worker?: string;
}

/** The log of work that is repeated every few seconds: a line when it begins to fail and one when it ends. */
export function outageLog(logger: Logger, { level, failed, succeeded, ...facts }: OutageTexts): OutageLog {
  let reason: string | null = null;
  return {
    failed: (error) => {
      const found = String(error);
      if (found !== reason) logger[level]({ err: error, ...facts }, failed);
      reason = found;
    },
    succeeded: () => {
      if (reason !== null) logger.info(facts, succeeded);
      reason = null;
    },
  };
}
