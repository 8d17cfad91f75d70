/**
 * Does work, and aborts it when time is up.
 * @param ms milliseconds
 * @throws DOMException TimeoutError, by way of the signal, when time is up; whatever the work throws
 */
export async function abortAfter<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const ending = new AbortController();
  // AbortSignal.timeout does not keep the process alive: fetch never settles on a connection that is closed as
  // it is made, and the command would exit without output.
  const timer = setTimeout(() => {
    ending.abort(new DOMException('time is up', 'TimeoutError'));
  }, ms);
  try {
    return await work(ending.signal);
  } finally {
    clearTimeout(timer);
  }
}
