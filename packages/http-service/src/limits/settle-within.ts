/**
 * Waits for a promise for a bounded time. It does not abort the work: a late result is dropped.
 * @param ms milliseconds
 * @throws the error of `late` when the time is up; the promise's own rejection
 */
export async function settleWithin<T>(awaited: Promise<T>, ms: number, late: () => Error): Promise<T> {
  let due: NodeJS.Timeout | undefined;
  const timeUp = new Promise<never>((_resolve, reject) => {
    due = setTimeout(() => {
      reject(late());
    }, ms);
  });
  try {
    return await Promise.race([awaited, timeUp]);
  } finally {
    clearTimeout(due);
  }
}
