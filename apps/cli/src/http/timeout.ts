import type { Io } from '../io.js';
import { counted } from '@cer/cer-core/wording';
import { UsageError } from '../usage-error.js';

/** Defaults of the time that a node has to answer one request, in milliseconds. */
export const TIMEOUT_MS = { attest: 10_000, keys: 10_000, others: 30_000, silence: 60_000 } as const;

const MAX_SECONDS = 86_400;

/** Flag of every command that may call a node. */
export const TIMEOUT_FLAG = { timeout: { type: 'string' } } as const;

export const TIMEOUT_FLAG_HELP: readonly (readonly [string, string])[] = [
  [
    '--timeout SECONDS',
    'time for each answer of a node; CER_TIMEOUT unless given, else 10 for attest and for keys, 60 of silence for ' +
      'an export, 30 for the others',
  ],
];

/**
 * Applies `--timeout`, which comes before CER_TIMEOUT.
 * @returns the surroundings with the flag in `env`, where requests look for it
 * @throws UsageError unless the flag is a number of seconds
 */
export function withTimeout(flag: string | undefined, io: Io): Io {
  if (flag === undefined) return io;
  readSeconds(flag, '--timeout');
  return { ...io, env: { ...io.env, CER_TIMEOUT: flag } };
}

/**
 * The time that one request may take, in milliseconds.
 * @throws UsageError for a CER_TIMEOUT that is not a number of seconds
 */
export function timeoutMs({ env }: Pick<Io, 'env'>, byDefault: number): number {
  const text = env['CER_TIMEOUT'];
  return text === undefined || text === '' ? byDefault : readSeconds(text, 'CER_TIMEOUT') * 1000;
}

/** The time of a request, for messages. */
export const secondsOf = (ms: number): string => counted(ms / 1000, 'second');

function readSeconds(text: string, source: string): number {
  const seconds = /^\d{1,5}(\.\d{1,3})?$/.test(text) ? Number(text) : Number.NaN;
  if (seconds > 0 && seconds <= MAX_SECONDS) return seconds;
  throw new UsageError(`${source}: must be seconds, more than 0 and at most ${MAX_SECONDS}, for example 2.5`);
}
