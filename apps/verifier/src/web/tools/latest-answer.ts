/** Discards the answer to an earlier question once a newer one was asked. */
export class LatestAnswer {
  #asked = 0;

  /** @returns the answer, or null when something else was asked, or nothing is wanted any more */
  async of<T>(answer: Promise<T>): Promise<T | null> {
    this.#asked += 1;
    const place = this.#asked;
    const found = await answer;
    return place === this.#asked ? found : null;
  }

  /** Nothing that was asked is wanted any more. */
  forget(): void {
    this.#asked += 1;
  }
}
