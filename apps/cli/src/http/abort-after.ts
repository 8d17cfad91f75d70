/**
 * Does work that must end in time.
 * @param ms milliseconds
 * @throws DOMException TimeoutError, by way of the signal, when time is up; whatever the work throws
 */
export async function abortAfter<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const ending = new AbortController();
  // Not AbortSignal.timeout, whose timer keeps no process alive: fetch waits for ever on a connection that is closed as
  // it is made, and the command would end without a word.
  const timer = setTimeout(() => {
    ending.abort(new DOMException('time is up', 'TimeoutError'));
  }, ms);
  try {
    return await work(ending.signal);
  } finally {
    clearTimeout(timer);
  }
}
