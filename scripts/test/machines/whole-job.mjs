import { runSketchJob } from '../../../apps/renderer/dist/sandbox/sketch-job.js';

/**
 * Runs a job of the renderer, and waits until its page is gone.
 * @returns the result of `work`, and its time in ms, without the end of the page
 */
export async function wholeJob(pool, limits, work) {
  const startedAt = performance.now();
  let disposed;
  const onDisposing = (ending) => {
    disposed = ending;
  };
  try {
    const result = await runSketchJob({ pool, limits, signal: new AbortController().signal, onDisposing }, work);
    return { result, wallMs: performance.now() - startedAt };
  } finally {
    await disposed;
  }
}
