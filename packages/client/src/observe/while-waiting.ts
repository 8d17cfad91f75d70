/** A value that is made when it is first asked for. */
export function once<T extends object>(make: () => T): () => T {
  let found: T | null = null;
  return () => (found ??= make());
}

/**
 * Makes values in a later turn of the event loop, while the provider works on its answer, so that the caller does not wait
 * for them.
 * @param turn resolves in a later turn
 */
export function whileWaiting(turn: () => Promise<void>, ...values: readonly (() => object)[]): void {
  // A fault recurs when the value is asked for, and is counted there.
  void turn()
    .then(() => {
      for (const value of values) value();
    })
    .catch(() => undefined);
}
