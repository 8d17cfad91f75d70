import { randomBytes } from 'node:crypto';
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

/** A token that was checked: its imprint, its nonce, its signature, and its chain to a pinned root. */
export interface CheckedToken {
  /** Base64 of DER. */
  readonly token: string;
  /** The authority's name as its certificate has it. */
  readonly provider: string;
}

export interface AskedAuthority {
  readonly url: string;
  readonly roots: TsaRoots;
  /** For one whole answer. */
  readonly timeoutMs: number;
}

/** An authority gave no token that counts. The message is written for the log: nothing the authority sent is in it. */
export class NoTokenError extends Error {
  override readonly name = 'NoTokenError';
}

const NONCE_BYTES = 16;

/**
 * Asks an authority for one token, reads no more of the answer than a token has, and checks it.
 * @param imprint SHA-256, 32 bytes
 * @throws NoTokenError whatever is in the way of a token that counts
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
      // An authority elsewhere is not the one that was configured.
      redirect: 'error',
      headers: { 'content-type': TIMESTAMP_QUERY_TYPE, accept: TIMESTAMP_REPLY_TYPE },
      body: Buffer.from(formatTimestampRequest({ imprint, nonce })),
      signal: hangUp.signal,
    });
    if (answer.status !== 200) throw new NoTokenError(`it answered HTTP ${answer.status}`);
    return await checked(await readBounded(answer), imprint, nonce, roots);
  } catch (error) {
    throw asNoToken(error);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    // Whatever is still on its way is of no use.
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
  if (outcome.status === 'invalid') throw new NoTokenError(`its token does not count: ${outcome.detail}`);
  if (outcome.status === 'untrusted') throw new NoTokenError('its token leads to no root of TSA_ROOTS_FILE');
  return { token: Buffer.from(token).toString('base64'), provider: outcome.authority };
}

function asNoToken(error: unknown): NoTokenError {
  if (error instanceof NoTokenError) return error;
  if (error instanceof TimestampError)
    return new NoTokenError(`its answer is none: ${error.message}`, { cause: error });
  // What fetch says is about the address; why it failed stands in the cause.
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? ` (${cause.code})` : '';
  return new NoTokenError(`it cannot be reached${code}`, { cause: error });
}

/** What is used of a stream's reader: the platform's own type leaves open what it reads. */
interface Reader {
  read(): Promise<{ readonly value?: Uint8Array | undefined }>;
}

async function readBounded(answer: Response): Promise<Uint8Array> {
  const reader: Reader | undefined = answer.body?.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const chunk = (await reader?.read())?.value;
    if (chunk === undefined) return new Uint8Array(Buffer.concat(chunks, size));
    size += chunk.length;
    if (size > MAX_RESPONSE_BYTES) throw new NoTokenError(`its answer has more than ${MAX_RESPONSE_BYTES} bytes`);
    chunks.push(chunk);
  }
}
