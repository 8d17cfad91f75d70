const FIRST_BYTES = 1 << 18;

/** Bytes in a buffer that grows, and bits within them from the lowest on, as deflate wants them. */
export class BitWriter {
  #bytes: Uint8Array<ArrayBuffer> = new Uint8Array(FIRST_BYTES);
  #length = 0;
  #held = 0;
  #count = 0;

  /** @param bits lowest first; `count` is at most 16 */
  write(bits: number, count: number): void {
    let held = this.#held | (bits << this.#count);
    let total = this.#count + count;
    while (total >= 8) {
      if (this.#length === this.#bytes.length) this.#grow();
      this.#bytes[this.#length++] = held;
      held >>>= 8;
      total -= 8;
    }
    this.#held = held;
    this.#count = total;
  }

  /** Fills the last byte with zeros. */
  align(): void {
    if (this.#count > 0) this.write(0, 8 - this.#count);
  }

  /** What was written; a view. */
  bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#length);
  }

  #grow(): void {
    const larger = new Uint8Array(this.#bytes.length * 2);
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}
