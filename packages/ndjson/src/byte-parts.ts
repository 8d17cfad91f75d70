/**
 * Smallest part that is kept as it arrived. Smaller ones are copied together, because each object costs half a kilobyte;
 * the first is not, because most bodies have one part.
 */
const LARGE_PART_BYTES = 4 * 1024;
const MIN_BLOCK_BYTES = 1024;
const MAX_BLOCK_BYTES = 64 * 1024;
const NO_BLOCK = new Uint8Array(0);

/**
 * Collects bytes that arrive in parts. Its memory is at most a few times that of the bytes, however small the parts are:
 * their sender chooses their sizes.
 */
export class ByteParts {
  readonly #parts: Uint8Array[] = [];
  #size = 0;
  /** Takes small parts. What lies between `#from` and `#to` is not yet in `#parts`. */
  #block = NO_BLOCK;
  #from = 0;
  #to = 0;

  get size(): number {
    return this.#size;
  }

  /** @param part does not change afterwards */
  add(part: Uint8Array): void {
    if (part.length === 0) return;
    if (part.length >= LARGE_PART_BYTES || this.#size === 0) {
      this.#endRun();
      this.#parts.push(part);
    } else this.#copy(part);
    this.#size += part.length;
  }

  /** All bytes in order, in parts that share memory with those that were added. */
  parts(): readonly Uint8Array[] {
    this.#endRun();
    return this.#parts;
  }

  /** A copy of all bytes. */
  joined(): Uint8Array<ArrayBuffer> {
    return joinBytes(this.parts());
  }

  #copy(part: Uint8Array): void {
    if (this.#to + part.length > this.#block.length) {
      this.#endRun();
      const bytes = Math.min(Math.max(this.#size, MIN_BLOCK_BYTES), MAX_BLOCK_BYTES);
      this.#block = new Uint8Array(Math.max(bytes, part.length));
      this.#from = 0;
      this.#to = 0;
    }
    this.#block.set(part, this.#to);
    this.#to += part.length;
  }

  #endRun(): void {
    if (this.#to > this.#from) this.#parts.push(this.#block.subarray(this.#from, this.#to));
    this.#from = this.#to;
  }
}

/** One array of the bytes of all. Without Buffer, because the client also runs at the edge and in browsers. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((size, { length }) => size + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
