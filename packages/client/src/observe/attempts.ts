/** Maximum failed attempts that wait for their retry. */
const MAX_WAITING = 1000;

/**
 * Joins the attempts of one call: an SDK sends the same body again after a failed attempt. Where two equal calls fail at
 * the same time, each retry is joined to one of them.
 */
export class Attempts {
  readonly #failed = new Map<string, string[]>();
  #size = 0;

  /** The id of the call whose earlier attempt failed; null for a first attempt. */
  resume(url: string, body: string, attempt: number): string | null {
    if (attempt === 0) return null;
    const key = keyOf(url, body, attempt);
    const calls = this.#failed.get(key);
    const callId = calls?.shift() ?? null;
    if (callId !== null) this.#size -= 1;
    if (calls?.length === 0) this.#failed.delete(key);
    return callId;
  }

  /** Remembers a failed attempt. */
  failed(url: string, body: string, attempt: number, callId: string): void {
    if (this.#size >= MAX_WAITING) {
      const [oldest] = this.#failed.keys();
      if (oldest !== undefined) {
        this.#size -= this.#failed.get(oldest)?.length ?? 0;
        this.#failed.delete(oldest);
      }
    }
    const key = keyOf(url, body, attempt + 1);
    this.#failed.set(key, [...(this.#failed.get(key) ?? []), callId]);
    this.#size += 1;
  }
}

/** Only the end of a body, which has the last message: whole bodies would fill the memory. */
function keyOf(url: string, body: string, attempt: number): string {
  return `${attempt} ${url} ${body.length} ${body.slice(-512)}`;
}
