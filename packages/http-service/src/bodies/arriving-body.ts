import { setImmediate as nextTurnOfLoop } from 'node:timers/promises';
import { ByteParts } from '@cer/ndjson';

/** Bytes copied in one turn of the event loop, and bytes that must arrive before room for all is reserved. */
const SLICE_BYTES = 1024 * 1024;
/** The part of a body that must arrive before room for all is reserved: announcing it costs its sender nothing. */
const EARNEST = 1 / 16;

/**
 * Collects the pieces of a body without stopping the event loop: joining 10 MB at once takes it 10 ms and more. A large
 * body of an announced length is copied together while it arrives, any other one in slices at its end.
 */
export class ArrivingBody {
  readonly #announcedBytes: number;
  #pieces = new ByteParts();
  /** Bytes of `#whole` that arrived. */
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
    this.#pieces.add(piece);
    const { size } = this.#pieces;
    if (size < SLICE_BYTES || size < this.#announcedBytes * EARNEST || !(this.#announcedBytes >= size)) return;
    // Not from Node's pool, so that a thread can take the memory over.
    this.#whole = Buffer.allocUnsafeSlow(this.#announcedBytes);
    Buffer.concat(this.#pieces.parts(), size).copy(this.#whole);
    this.#size = size;
    this.#pieces = new ByteParts();
  }

  /** All bytes that were added. Nothing is added afterwards. */
  async whole(): Promise<Buffer> {
    if (this.#whole !== null) return this.#whole.subarray(0, this.#size);
    const pieces = this.#pieces.parts();
    const [only] = pieces;
    if (pieces.length === 1 && Buffer.isBuffer(only)) return only;
    if (this.#pieces.size <= SLICE_BYTES) return Buffer.concat(pieces, this.#pieces.size);
    return this.#joined();
  }

  async #joined(): Promise<Buffer> {
    const whole = Buffer.allocUnsafeSlow(this.#pieces.size);
    let at = 0;
    let sliceEnd = SLICE_BYTES;
    for (const piece of this.#pieces.parts()) {
      if (at >= sliceEnd) {
        await nextTurnOfLoop();
        sliceEnd = at + SLICE_BYTES;
      }
      whole.set(piece, at);
      at += piece.length;
    }
    this.#pieces = new ByteParts();
    return whole;
  }
}
