/** Runs work that callers ask for while it runs once for all of them. */
export function sharedWhileRunning<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<Result> | null = null;
  return () => {
    running ??= work().finally(() => {
      running = null;
    });
    return running;
  };
}
