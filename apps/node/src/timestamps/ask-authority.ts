import { randomBytes } from 'node:crypto';
import { readBounded } from '@cer/ndjson';
import {
  formatTimestampRequest,
  MAX_RESPONSE_BYTES,
  parseTimestampResponse,
  TIMESTAMP_QUERY_TYPE,
  TIMESTAMP_REPLY_TYPE,
  TimestampError,
  verifyTimestampToken,
  type TsaRoots,
} from '@cer/timestamps';
import { fetchFault } from '../errors/fetch-fault.js';

/** A verified token: imprint, nonce, signature, and chain to a pinned root. */
export interface CheckedToken {
  /** Base64 of DER. */
  readonly token: string;
  /** The authority's name in its certificate. */
  readonly provider: string;
}

export interface AskedAuthority {
  readonly url: string;
  readonly roots: TsaRoots;
  /** Timeout of a complete response. */
  readonly timeoutMs: number;
}

/** No valid token from an authority. The message is meant for the log and contains no data from the authority. */
export class NoTokenError extends Error {
  override readonly name = 'NoTokenError';
}

const NONCE_BYTES = 16;

/**
 * Requests one token from an authority, reads a bounded response, and verifies it.
 * @param imprint SHA-256, 32 bytes
 * @throws NoTokenError without a valid token, for any reason
 * @see docs/spec.md, "External timestamps"
 */
export async function askAuthority(
  imprint: Uint8Array,
  { url, roots, timeoutMs }: AskedAuthority,
  signal: AbortSignal,
): Promise<CheckedToken> {
  const nonce = new Uint8Array(randomBytes(NONCE_BYTES));
  const hangUp = new AbortController();
  const stop = (): void => {
    hangUp.abort(signal.reason);
  };
  const timer = setTimeout(() => {
    hangUp.abort(new NoTokenError(`it gave no answer within ${timeoutMs} ms`));
  }, timeoutMs);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    const answer = await fetch(url, {
      method: 'POST',
      // A redirect would lead to an authority that is not configured.
      redirect: 'error',
      headers: { 'content-type': TIMESTAMP_QUERY_TYPE, accept: TIMESTAMP_REPLY_TYPE },
      body: Buffer.from(formatTimestampRequest({ imprint, nonce })),
      signal: hangUp.signal,
    });
    if (answer.status !== 200) throw new NoTokenError(`it answered HTTP ${answer.status}`);
    const bytes = await readBounded(answer.body, MAX_RESPONSE_BYTES);
    if (bytes === null) throw new NoTokenError(`its answer has more than ${MAX_RESPONSE_BYTES} bytes`);
    return await checked(bytes, imprint, nonce, roots);
  } catch (error) {
    throw asNoToken(error);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    // The rest of the response is discarded.
    hangUp.abort();
  }
}

async function checked(
  answer: Uint8Array,
  imprint: Uint8Array,
  nonce: Uint8Array,
  roots: TsaRoots,
): Promise<CheckedToken> {
  const token = parseTimestampResponse(answer);
  const isImprint = (timestamped: Uint8Array): boolean => Buffer.from(timestamped).equals(imprint);
  const outcome = await verifyTimestampToken(token, { roots, nonce, isImprint });
  if (outcome.status === 'invalid') throw new NoTokenError(`its token is not valid: ${outcome.detail}`);
  if (outcome.status === 'untrusted') throw new NoTokenError('its token leads to no root of TSA_ROOTS_FILE');
  return { token: Buffer.from(token).toString('base64'), provider: outcome.authority };
}

function asNoToken(error: unknown): NoTokenError {
  if (error instanceof NoTokenError) return error;
  if (error instanceof TimestampError)
    return new NoTokenError(`its answer is not valid: ${error.message}`, { cause: error });
  const code = fetchFault(error);
  return new NoTokenError(`it cannot be reached${code === null ? '' : ` (${code})`}`, { cause: error });
}
