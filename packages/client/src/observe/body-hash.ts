import type { Platform, Sha256 } from '../platform/platform.js';

/**
 * SHA-256 of a body that arrives in chunks. A body of one chunk is hashed at its end: in Node.js the object that takes
 * further chunks costs more than the hash, and lives until the next full garbage collection.
 */
export class BodyHash {
  readonly #platform: Pick<Platform, 'sha256' | 'sha256Of'>;
  #only: Uint8Array | null = null;
  #hash: Sha256 | null = null;

  constructor(platform: Pick<Platform, 'sha256' | 'sha256Of'>) {
    this.#platform = platform;
  }

  /** Adds bytes that may change afterwards. */
  add(bytes: Uint8Array): void {
    this.#several().update(bytes);
  }

  /** Adds bytes that do not change. */
  addKept(bytes: Uint8Array): void {
    if (this.#hash === null && this.#only === null) this.#only = bytes;
    else this.add(bytes);
  }

  /** 64 lower-case hex digits. */
  hex(): string {
    return this.#only === null ? this.#several().hex() : this.#platform.sha256Of(this.#only);
  }

  #several(): Sha256 {
    if (this.#hash !== null) return this.#hash;
    this.#hash = this.#platform.sha256();
    if (this.#only !== null) this.#hash.update(this.#only);
    this.#only = null;
    return this.#hash;
  }
}
