const REPORT_EVERY_S = 15;

/**
 * Reports the current step and its duration: one counting line on a terminal, a line every 15 s elsewhere.
 * @param {string} what
 * @param {(line: string) => void} log takes whole lines
 * @param {() => Promise<T>} work
 * @returns {Promise<T>} what the work returned
 * @template T
 */
export async function withProgress(what, log, work) {
  const startedAt = Date.now();
  const seconds = () => Math.round((Date.now() - startedAt) / 1000);
  const isLive = log === console.log && process.stdout.isTTY;
  if (!isLive) log(`${what} ...`);
  const timer = setInterval(
    () => {
      if (isLive) process.stdout.write(`\r\u001b[K${what} ... ${seconds()} s`);
      else log(`${what} ... ${seconds()} s so far`);
    },
    (isLive ? 1 : REPORT_EVERY_S) * 1000,
  );
  let ending = 'failed';
  try {
    const result = await work();
    ending = 'done';
    return result;
  } finally {
    clearInterval(timer);
    if (isLive) process.stdout.write('\r\u001b[K');
    log(`${what} ... ${ending} in ${seconds()} s`);
  }
}
