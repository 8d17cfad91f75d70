import type { ArtefactCheck } from '../check/check-result.js';

/** Maximum checks in memory: a large project takes seconds to check and megabytes to keep. */
const MAX_CHECKS = 8;
/** Maximum bytes of the records whose checks are in memory: a check may be as large as its record. */
const MAX_BYTES = 128 * 1024 * 1024;

interface Kept {
  readonly check: Promise<ArtefactCheck>;
  readonly bytes: number;
}

/** Keeps the newest checks by the version of their records; concurrent requests share one check. */
export class CheckCache {
  /** Newest last. */
  readonly #kept = new Map<string, Kept>();

  /**
   * @param bytes of the record
   * @param start begins a check that is not kept; a failed one is forgotten
   */
  async get(version: string, bytes: number, start: () => Promise<ArtefactCheck>): Promise<ArtefactCheck> {
    const check = this.#kept.get(version)?.check ?? start();
    this.#kept.delete(version);
    this.#kept.set(version, { check, bytes });
    this.#forgetOldest();
    try {
      return await check;
    } catch (error) {
      this.#kept.delete(version);
      throw error;
    }
  }

  #forgetOldest(): void {
    let total = [...this.#kept.values()].reduce((sum, each) => sum + each.bytes, 0);
    for (const [version, { bytes }] of this.#kept) {
      if (this.#kept.size <= MAX_CHECKS && total <= MAX_BYTES) return;
      this.#kept.delete(version);
      total -= bytes;
    }
  }
}
