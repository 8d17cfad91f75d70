/** One holder at a time, in the order of asking. */
export class Turns<Holder> {
  readonly #line: { readonly holder: Holder; readonly begin: () => void }[] = [];
  #current: Holder | null = null;

  /** Resolves when it is the holder's turn. */
  async take(holder: Holder): Promise<void> {
    if (this.#current === null) {
      this.#current = holder;
      return;
    }
    await new Promise<void>((begin) => this.#line.push({ holder, begin }));
  }

  /** Ends the holder's turn; of another holder it does nothing. */
  end(holder: Holder): void {
    if (this.#current !== holder) return;
    const next = this.#line.shift();
    this.#current = next?.holder ?? null;
    next?.begin();
  }

  /** Takes a holder that is gone out of the line. */
  forget(holder: Holder): void {
    for (let at = this.#line.length - 1; at >= 0; at -= 1) {
      if (this.#line[at]?.holder === holder) this.#line.splice(at, 1);
    }
    this.end(holder);
  }
}
