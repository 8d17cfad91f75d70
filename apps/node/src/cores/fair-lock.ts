/** A lock with one holder at a time, granted in the order of the requests. */
export class FairLock<Holder> {
  readonly #waiting: { readonly holder: Holder; readonly granted: () => void }[] = [];
  #current: Holder | null = null;

  /** Resolves when the holder has the lock. */
  async acquire(holder: Holder): Promise<void> {
    if (this.#current === null) {
      this.#current = holder;
      return;
    }
    await new Promise<void>((granted) => this.#waiting.push({ holder, granted }));
  }

  /** Releases the lock; does nothing for any other holder. */
  release(holder: Holder): void {
    if (this.#current !== holder) return;
    const next = this.#waiting.shift();
    this.#current = next?.holder ?? null;
    next?.granted();
  }

  /** Removes a holder that has ended from the queue. */
  forget(holder: Holder): void {
    for (let at = this.#waiting.length - 1; at >= 0; at -= 1) {
      if (this.#waiting[at]?.holder === holder) this.#waiting.splice(at, 1);
    }
    this.release(holder);
  }
}
