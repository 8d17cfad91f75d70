/** Base and cap of the wait before a retry, in milliseconds. */
const BASE_MS = 250;
const CAP_MS = 30_000;

/** May a request with this answer be sent again? 501 states that the node never has the feature. */
export function isRetryable(status: number): boolean {
  return status === 408 || status === 429 || (status >= 500 && status !== 501);
}

/**
 * Milliseconds before attempt `attempt` + 1: full jitter over an exponential bound, at least what the node asked for.
 * @param random from 0 inclusive to 1 exclusive
 * @returns null when the node asks for a longer wait than a program should block for
 */
export function retryDelay(attempt: number, retryAfterMs: number | null, random: () => number): number | null {
  if (retryAfterMs !== null && retryAfterMs > CAP_MS) return null;
  const jitter = random() * Math.min(CAP_MS, BASE_MS * 2 ** Math.min(attempt, 16));
  return Math.max(jitter, retryAfterMs ?? 0);
}

/**
 * `Retry-After` in milliseconds.
 * @param value seconds, or an HTTP date
 * @param now milliseconds since 1970
 */
export function parseRetryAfter(value: string | null, now: number): number | null {
  if (value === null) return null;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

/** Resolves after `ms`. @throws the reason of the signal when it is aborted */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(reasonOf(signal));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal?.aborted === true) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}

/** The reason of an aborted signal as an error. */
export function reasonOf(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason : new DOMException('This operation was aborted', 'AbortError');
}
