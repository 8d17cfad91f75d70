import type { Output } from '../io.js';

const WIDTH = 30;
const REDRAW_MS = 100;

/** Shows the progress of a batch on a terminal; silent elsewhere, so that logs stay clean. */
export class ProgressBar {
  readonly #output: Output;
  readonly #total: number | null;
  readonly #now: () => Date;
  readonly #unit: string;
  #done = 0;
  #items = 0;
  #drawnAt = 0;

  /**
   * @param total null when unknown: then only a count is shown
   * @param unit what is counted
   */
  constructor(output: Output, total: number | null, now: () => Date, unit = 'verified') {
    this.#output = output;
    this.#total = total;
    this.#now = now;
    this.#unit = unit;
  }

  advance(progress: number, items: number): void {
    this.#done += progress;
    this.#items += items;
    const now = this.#now().getTime();
    if (!this.#output.isTerminal || now - this.#drawnAt < REDRAW_MS) return;
    this.#drawnAt = now;
    this.#output.write(`\r\u001b[K${this.#line()}`);
  }

  /** Removes the bar, so that further output starts on a clean line. */
  clear(): void {
    if (this.#output.isTerminal && this.#drawnAt > 0) this.#output.write('\r\u001b[K');
  }

  #line(): string {
    const count = `${this.#items} ${this.#unit}`;
    if (this.#total === null || this.#total === 0) return count;
    const share = Math.min(1, this.#done / this.#total);
    const filled = Math.round(share * WIDTH);
    return `[${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}] ${Math.floor(share * 100)}%  ${count}`;
  }
}
