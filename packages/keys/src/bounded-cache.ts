/**
 * Remembers the newest `limit` values by text key; the oldest goes first. Keys come from documents that strangers
 * write, so a cache of parsed keys must not grow with them.
 */
export class BoundedCache<Value> {
  readonly #limit: number;
  readonly #values = new Map<string, Value>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  getOrMake(key: string, make: () => Value): Value {
    const known = this.#values.get(key);
    if (known !== undefined) return known;
    const made = make();
    if (this.#values.size >= this.#limit) {
      for (const oldest of this.#values.keys()) {
        this.#values.delete(oldest);
        break;
      }
    }
    this.#values.set(key, made);
    return made;
  }
}
