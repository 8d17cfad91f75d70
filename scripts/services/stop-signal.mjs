const ASKS_EVERY_MS = 200;

/**
 * Waits until this process is asked to stop. npm passes SIGTERM to its shell alone, which ends without it: that the
 * parent is gone then counts as SIGTERM.
 * @returns {Promise<string>} the signal
 */
export function untilStopSignal() {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => resolve(signal));
    if (process.env.npm_lifecycle_event === undefined) return;
    const parent = process.ppid;
    const asks = setInterval(() => {
      if (process.ppid !== parent) resolve('SIGTERM');
    }, ASKS_EVERY_MS);
    asks.unref();
  });
}
