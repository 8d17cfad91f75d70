import type { Json } from '../json.js';
import type { Outcome } from '../outcome.js';

/** Maximum open calls of one kind in an integration. */
const MAX_OPEN = 10_000;

interface Endable {
  end(outcome: Outcome, output: () => Json): unknown;
}

/** Open calls by the ids of their framework, which may never report the end of one: too old ones end as `truncated`. */
export class CallsById<C extends Endable> {
  readonly #calls = new Map<string, C>();

  add(id: string, call: C): void {
    this.#calls.set(id, call);
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > MAX_OPEN && oldest !== undefined) this.take(oldest)?.end('truncated', () => ({}));
  }

  /** The call with this id, which is open no longer. */
  take(id: string): C | undefined {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    return call;
  }

  ids(): string[] {
    return [...this.#calls.keys()];
  }
}
