import type { Json } from '../json.js';
import type { Outcome } from '../outcome.js';
import { checkHeld } from '../values/held-json.js';
import { jsonOf, membersOf, outcomeOf } from '../values/json-of.js';

/** A call that a result ends. Does not throw. */
export interface Endable {
  end(outcome: Outcome, output: () => Json): unknown;
}

/** Maximum characters of JSON that are kept of the values of one generator. */
const MAX_YIELDED = 8 * 1024 * 1024;

/** The values that a program takes from an iterator. None of its methods throws. */
export class TakenItems {
  readonly #call: Endable;
  readonly #items: Json[] = [];
  #size = 0;
  #isOver = false;

  constructor(call: Endable) {
    this.#call = call;
  }

  /** @param isNext whether the program asked for the next value; else it leaves the iterator */
  step(step: unknown, isNext: boolean): void {
    if (this.#isOver) return;
    quietly(this.#call, () => {
      const { done, value } = membersOf(step);
      if (Boolean(done)) this.#end(isNext ? 'complete' : 'aborted', isNext ? value : undefined);
      else this.#take(value);
    });
  }

  fail(error: unknown): void {
    this.#end(outcomeOf(error));
  }

  leave(): void {
    this.#end('aborted');
  }

  #take(value: unknown): void {
    // Until it is kept.
    this.#isOver = true;
    const item = jsonOf(value, checkHeld);
    this.#size += JSON.stringify(item).length;
    if (this.#size > MAX_YIELDED)
      throw new RangeError('a generator is not certified: its values are too large to keep');
    this.#items.push(item);
    this.#isOver = false;
  }

  #end(outcome: Outcome, returned?: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const yielded = this.#items;
    this.#call.end(outcome, () =>
      returned === undefined ? yielded : { yielded, returned: jsonOf(returned, checkHeld) },
    );
  }
}

export function quietly<T>(call: Endable, work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    lose(call, error);
    return null;
  }
}

/** The call has no certificate. */
export function lose(call: Endable, error: unknown): void {
  call.end('failed', () => {
    throw error;
  });
}
