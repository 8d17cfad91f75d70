/** Failures in a row after which fewer bundles are sent: a node that restarts causes some too. */
const FAILURES = 3;

/** The search for a bundle that breaks each request that has it, among the first bundles of one spool. */
export class Narrowing {
  /** Bundles of the first ones of which one may break the requests; 0 without a search. */
  #suspects = 0;
  /** Requests that failed in a row, and those of one bundle since the search came down to it. */
  #failures = 0;
  #alone = 0;

  /**
   * Maximum bundles of the next request.
   * @param usual without a search
   */
  most(usual: number): number {
    return this.#suspects === 0 ? usual : Math.min(usual, Math.ceil(this.#suspects / 2));
  }

  /** The node took the first `count` bundles. */
  passed(count: number): void {
    if (count === 0) return;
    this.#suspects = Math.max(0, this.#suspects - count);
    this.#failures = 0;
    this.#alone = 0;
  }

  /**
   * A request of `count` bundles failed.
   * @returns the number, from 1, of the comparison of its one bundle with another that is due, else 0. Comparisons are
   * made at doubling intervals, since the node may be down.
   */
  failed(count: number): number {
    this.#failures += 1;
    if (this.#suspects > 0 || this.#failures >= FAILURES) this.#suspects = count;
    if (this.#suspects !== 1) return 0;
    this.#alone += 1;
    const comparison = Math.log2(this.#alone);
    return Number.isInteger(comparison) ? comparison : 0;
  }
}
