/**
 * Waits for what must come in time.
 * @param ms milliseconds
 * @throws what `late` makes when it does not; what was waited for goes on, and nobody hears of it
 */
export async function withinTime<T>(awaited: Promise<T>, ms: number, late: () => Error): Promise<T> {
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
