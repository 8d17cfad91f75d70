import type { LoggedLeaf } from '../store/index.js';

/**
 * The deleted leaves among those of a range, in order, that no deletion among them names. A deletion gets its leaf after
 * the leaves that it names, maybe epochs later, and a reader takes a leaf without it for a withheld record.
 */
export class UnnamedDeletions {
  readonly #numbers = new Set<number>();

  add({ number, source, content, isDeleted }: LoggedLeaf): void {
    if (isDeleted) this.#numbers.add(number);
    if (source !== 'deletion' || content === null || this.#numbers.size === 0) return;
    const { deletes } = JSON.parse(content.labelJson) as { readonly deletes: readonly (readonly [number, number])[] };
    for (const [first, last] of deletes) {
      for (let named = first; named <= last; named += 1) this.#numbers.delete(named);
    }
  }

  get isEmpty(): boolean {
    return this.#numbers.size === 0;
  }
}
