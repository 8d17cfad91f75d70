import type { TimestampVerifier } from '@cer/cer-core/verify';
import type { Io } from '../io.js';
import { UsageError } from '../usage-error.js';
import { nameOf, readBytes } from '../files/read-bytes.js';

const MAX_ROOTS_BYTES = 1024 * 1024;

/** The pinned roots of time-stamping authorities. */
export interface PinnedTsaRoots {
  /** PEM, as read, so that it can be sent to another thread. */
  readonly pem: string;
  readonly verifier: TimestampVerifier;
}

/**
 * Reads the roots that `--tsa-roots` names; null without the flag.
 * @throws UsageError when the file is missing or holds no certificate that can be read
 */
export async function loadTsaRoots(source: string | undefined, io: Pick<Io, 'stdin'>): Promise<PinnedTsaRoots | null> {
  if (source === undefined) return null;
  if (source === '-') throw new UsageError('--tsa-roots: must be a file');
  const pem = new TextDecoder().decode(await readBytes(source, io.stdin, MAX_ROOTS_BYTES));
  const { TimestampError } = await import('@cer/timestamps');
  try {
    return { pem, verifier: await timestampVerifier(pem) };
  } catch (error) {
    if (error instanceof TimestampError) throw new UsageError(`${nameOf(source)}: ${error.message}`);
    throw error;
  }
}

/** @throws TimestampError for PEM without usable certificates */
export async function timestampVerifier(pem: string): Promise<TimestampVerifier> {
  // Loaded here only: without pinned roots no certificate parser is loaded.
  const { createTimestampVerifier, parseTsaRoots } = await import('@cer/timestamps');
  return createTimestampVerifier(parseTsaRoots(pem));
}
