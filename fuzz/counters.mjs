// The counters of the instrumented code. An input is new when it reaches a statement or a branch, or one of them a number
// of times (1, 2, 3, 4 to 7, 8 to 15, 16 to 31, 32 to 127, more), that no input before it did.

const bucketOf = (count) =>
  count < 4 ? count - 1 : count < 8 ? 3 : count < 16 ? 4 : count < 32 ? 5 : count < 128 ? 6 : 7;

export class Counters {
  #lists = [];
  #seen = new Uint8Array(0);

  constructor(counters) {
    for (const { s, b } of Object.values(counters)) this.#lists.push(s, ...Object.values(b));
    this.#lists = this.#lists.map((list) => ({ list, keys: Object.keys(list) }));
    this.#seen = new Uint8Array(this.#lists.reduce((sum, { keys }) => sum + keys.length, 0));
  }

  /** Number of features that were reached so far. */
  get reached() {
    return this.#seen.reduce((sum, bits) => sum + (bits === 0 ? 0 : 1), 0);
  }

  reset() {
    for (const { list, keys } of this.#lists) for (const key of keys) list[key] = 0;
  }

  /** Takes the counts of one run. @returns how many features are new, and how many statements and branches ran */
  take() {
    let [at, fresh, operations] = [0, 0, 0];
    for (const { list, keys } of this.#lists) {
      for (const key of keys) {
        const count = list[key];
        if (count > 0) {
          operations += count;
          const bit = 1 << bucketOf(count);
          if ((this.#seen[at] & bit) === 0) {
            this.#seen[at] |= bit;
            fresh += 1;
          }
        }
        at += 1;
      }
    }
    return { fresh, operations };
  }
}
