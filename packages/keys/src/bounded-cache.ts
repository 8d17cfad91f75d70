/**
 * Caches the newest `limit` values by text key and evicts the oldest first. Keys come from untrusted documents, so a
 * cache of parsed keys must be bounded.
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
