/** Maximum ended attempts that wait for their retry. */
const MAX_WAITING = 1000;

/**
 * Joins the attempts of one call: an SDK sends the same body again after an attempt that failed or took too long. Where two
 * equal calls fail at the same time, each retry is joined to one of them; else to the latest, as others were given up.
 */
export class Attempts {
  readonly #ended = new Map<string, string[]>();
  #size = 0;

  /** The id of the call whose earlier attempt ended without an answer; null for a first attempt. */
  resume(url: string, body: string, attempt: number): string | null {
    if (attempt === 0) return null;
    const key = keyOf(url, body, attempt);
    const calls = this.#ended.get(key);
    const callId = calls?.pop() ?? null;
    if (callId !== null) this.#size -= 1;
    if (calls?.length === 0) this.#ended.delete(key);
    return callId;
  }

  /** Remembers an attempt that brought no whole answer. */
  ended(url: string, body: string, attempt: number, callId: string): void {
    if (this.#size >= MAX_WAITING) {
      const [oldest] = this.#ended.keys();
      if (oldest !== undefined) {
        this.#size -= this.#ended.get(oldest)?.length ?? 0;
        this.#ended.delete(oldest);
      }
    }
    const key = keyOf(url, body, attempt + 1);
    this.#ended.set(key, [...(this.#ended.get(key) ?? []), callId]);
    this.#size += 1;
  }
}

function keyOf(url: string, body: string, attempt: number): string {
  return `${attempt} ${requestKey(url, body)}`;
}

/** The same for equal requests. It has only the end of a body, with the last message: whole bodies would fill the memory. */
export function requestKey(url: string, body: string): string {
  return `${url} ${body.length} ${body.slice(-512)}`;
}
