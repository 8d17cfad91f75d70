/** Discards the answer to an earlier question once a newer one was asked. */
export class LatestAnswer {
  #asked = 0;

  /** @returns the answer, or null when a newer question was asked or the question was withdrawn */
  async of<T>(answer: Promise<T>): Promise<T | null> {
    this.#asked += 1;
    const place = this.#asked;
    const found = await answer;
    return place === this.#asked ? found : null;
  }

  /** Withdraws all open questions. */
  forget(): void {
    this.#asked += 1;
  }
}
