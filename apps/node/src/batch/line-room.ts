import { ByteBudget } from '@cer/http-service';

/** The part of the room that one holder may have. */
const SHARE = 1 / 4;

/** Memory for the large lines of all batches. A line waits for room; one that is alone always gets it. */
export class LineRoom {
  readonly #budget: ByteBudget;
  #waiting: (() => void)[] = [];

  constructor(totalBytes: number) {
    const refuse = (): Error => new Error('a line took room that it did not wait for');
    this.#budget = new ByteBudget({ totalBytes, share: SHARE, refuse });
  }

  /**
   * Waits for room. Work that has room must not wait for more of it.
   * @param holder whose share the bytes count against
   * @returns gives the room back; a second call does nothing
   */
  async take(holder: string, bytes: number): Promise<() => void> {
    const reservation = this.#budget.reserve(holder);
    while (reservation.exceededBy(bytes) !== null) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    reservation.take(bytes);
    return () => {
      reservation.release();
      for (const resolve of this.#waiting.splice(0)) resolve();
    };
  }
}
