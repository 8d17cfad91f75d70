import { setImmediate as nextTurnOfLoop } from 'node:timers/promises';

/** Bytes copied in one turn of the event loop, and bytes that must arrive before room for all is reserved. */
const SLICE_BYTES = 1024 * 1024;

/**
 * Collects the pieces of a body without stopping the event loop: joining 10 MB at once takes it 10 ms and more. A large
 * body of an announced length is copied together while it arrives, any other one in slices at its end.
 */
export class ArrivingBody {
  readonly #announcedBytes: number;
  #pieces: Uint8Array[] = [];
  #size = 0;
  #whole: Buffer | null = null;

  /** @param announcedBytes no more arrive; NaN where no length is announced */
  constructor(announcedBytes: number) {
    this.#announcedBytes = announcedBytes;
  }

  add(piece: Uint8Array): void {
    if (this.#whole !== null) {
      this.#whole.set(piece, this.#size);
      this.#size += piece.length;
      return;
    }
    this.#pieces.push(piece);
    this.#size += piece.length;
    if (this.#size < SLICE_BYTES || !(this.#announcedBytes >= this.#size)) return;
    // Not from Node's pool, so that a thread can take the memory over.
    this.#whole = Buffer.allocUnsafeSlow(this.#announcedBytes);
    Buffer.concat(this.#pieces, this.#size).copy(this.#whole);
    this.#pieces = [];
  }

  /** All bytes that were added. Nothing is added afterwards. */
  async whole(): Promise<Buffer> {
    if (this.#whole !== null) return this.#whole.subarray(0, this.#size);
    const [only] = this.#pieces;
    if (this.#pieces.length === 1 && Buffer.isBuffer(only)) return only;
    if (this.#size <= SLICE_BYTES) return Buffer.concat(this.#pieces, this.#size);
    return this.#joined();
  }

  async #joined(): Promise<Buffer> {
    const whole = Buffer.allocUnsafeSlow(this.#size);
    let at = 0;
    let sliceEnd = SLICE_BYTES;
    for (const piece of this.#pieces) {
      if (at >= sliceEnd) {
        await nextTurnOfLoop();
        sliceEnd = at + SLICE_BYTES;
      }
      whole.set(piece, at);
      at += piece.length;
    }
    this.#pieces = [];
    return whole;
  }
}
