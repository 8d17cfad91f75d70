import type { Json, JsonMembers } from '../json.js';
import type { Outcome } from '../outcome.js';

/** Maximum open calls of one kind in an integration. */
const MAX_OPEN = 10_000;

interface Endable {
  end(outcome: Outcome, output: () => Json, payload?: JsonMembers): unknown;
}

interface OpenCall<C> {
  readonly call: C;
  readonly parts: unknown[];
}

/** The integrations with open calls, which end when their client closes. */
export type Closing = Set<{ endOpen(): void }>;

/** Open calls by the ids of their framework, which may never report the end of one: too old ones end as `truncated`. */
export class CallsById<C extends Endable> {
  readonly #calls = new Map<string, OpenCall<C>>();
  readonly #closing: Closing;
  readonly #outputOf: (parts: readonly unknown[]) => Json;

  /** @param outputOf the output of a call of whose answer these parts came */
  constructor(closing: Closing, outputOf: (parts: readonly unknown[]) => Json = () => ({})) {
    this.#closing = closing;
    this.#outputOf = outputOf;
  }

  add(id: string, call: C): void {
    this.#calls.set(id, { call, parts: [] });
    this.#closing.add(this);
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > MAX_OPEN && oldest !== undefined) this.endEarly(oldest, 'truncated');
  }

  /** A part of the answer came. */
  handOn(id: string, part: unknown): void {
    this.#calls.get(id)?.parts.push(part);
  }

  /** The open call with this id. */
  find(id: string): C | undefined {
    return this.#calls.get(id)?.call;
  }

  /** The call with this id, which is open no longer. */
  take(id: string): C | undefined {
    return this.#remove(id)?.call;
  }

  /** Ends a call with the parts of its answer that came. */
  endEarly(id: string, outcome: Outcome, payload?: JsonMembers): void {
    const open = this.#remove(id);
    open?.call.end(outcome, () => this.#outputOf(open.parts), payload);
  }

  /** The program closes, having left the answers that are still open. */
  endOpen(): void {
    for (const id of this.ids()) this.endEarly(id, 'aborted');
  }

  ids(): string[] {
    return [...this.#calls.keys()];
  }

  #remove(id: string): OpenCall<C> | undefined {
    const open = this.#calls.get(id);
    this.#calls.delete(id);
    if (this.#calls.size === 0) this.#closing.delete(this);
    return open;
  }
}
