import { requestKey } from './attempts.js';

/** A refused call whose answer is not read yet. */
interface Refused {
  cancel(): void;
}

/** Refused calls whose answers are unread: some SDKs drop them and retry. */
export class OpenRefusals {
  readonly #byCall = new Map<string, Refused>();

  /** @returns forgets it: it has ended */
  add(url: string, body: string, refused: Refused): () => void {
    const key = requestKey(url, body);
    this.#byCall.get(key)?.cancel();
    this.#byCall.set(key, refused);
    return () => {
      if (this.#byCall.get(key) === refused) this.#byCall.delete(key);
    };
  }

  /** Ends the refusal of the same request, which is made again. */
  endOf(url: string, body: string): void {
    if (this.#byCall.size > 0) this.#byCall.get(requestKey(url, body))?.cancel();
  }

  /** Ends all of them. */
  end(): void {
    for (const refused of [...this.#byCall.values()]) refused.cancel();
  }
}
